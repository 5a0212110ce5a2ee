import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openApiChanges, type OpenApi } from '../../../src/programs/release/openapi-changes.js';
import {
  breakingChanges,
  faultsAgainstRelease,
  type Schemas,
} from '../../../src/programs/release/released-schemas.js';

/** Each kind of change that breaks clients is planted into the real documents, and found. */

interface Json {
  [name: string]: Json;
}

let text: string;
beforeAll(async () => {
  text = await readFile('schema/edge-management.json', 'utf8');
});

/** What is found after one change to the document. */
function after(change: (document: Json) => void, before?: (document: Json) => void): string[] {
  const [old, now] = [JSON.parse(text) as Json, JSON.parse(text) as Json];
  before?.(old);
  change(now);
  return openApiChanges(old as unknown as OpenApi, now as unknown as OpenApi);
}

const at = (root: Json, ...path: string[]): Json =>
  path.reduce((place, name) => place[name] ?? {}, root);
const schema = (document: Json, name: string): Json => at(document, 'components', 'schemas', name);
const property = (document: Json, name: string, of: string): Json =>
  at(schema(document, name), 'properties', of);
const services = (document: Json): Json => at(document, 'paths', '/services');
const drop = (from: Json, name: string): void => {
  Reflect.deleteProperty(from, name);
};
const put = (to: Json, name: string, value: unknown): void => {
  Reflect.set(to, name, value);
};

describe('a change of the REST interface', () => {
  test('is none when nothing differs', () => {
    expect(after(() => undefined)).toStrictEqual([]);
  });

  const breaks: [string, (document: Json) => void, string][] = [
    [
      'a path',
      (d) => {
        drop(at(d, 'paths'), '/identities/{id}/trace');
      },
      'PUT /identities/{id}/trace is gone',
    ],
    [
      'a method',
      (d) => {
        drop(services(d), 'post');
      },
      'POST /services is gone',
    ],
    [
      'a status',
      (d) => {
        drop(at(services(d), 'get', 'responses'), '200');
      },
      'GET /services no longer answers with 200',
    ],
    [
      'a property of an answer',
      (d) => {
        drop(at(schema(d, 'Service'), 'properties'), 'permissions');
      },
      'Service.permissions (given) is gone',
    ],
    [
      'the type of a property',
      (d) => {
        put(property(d, 'Service', 'maxIdleTimeMillis'), 'type', 'string');
      },
      'Service.maxIdleTimeMillis (given) was integer and is string',
    ],
    [
      'the type of a property',
      (d) => {
        put(property(d, 'CreateService', 'encryptionRequired'), 'type', 'string');
      },
      'CreateService.encryptionRequired (sent) was boolean and is string',
    ],
    [
      'a property that may be null',
      (d) => {
        put(property(d, 'Service', 'name'), 'nullable', true);
      },
      'Service.name (given) may be null',
    ],
    [
      'a property that may be missing',
      (d) => {
        const s = schema(d, 'Service');
        put(
          s,
          'required',
          (s.required as unknown as string[]).filter((n) => n !== 'name'),
        );
      },
      'Service (given) may lack name',
    ],
    [
      'a member that is required',
      (d) => {
        const s = schema(d, 'CreateService');
        put(s, 'required', [...(s.required as unknown as string[]), 'configs']);
      },
      'CreateService (sent) requires configs',
    ],
    [
      'a new member that is required',
      (d) => {
        const s = schema(d, 'CreateService');
        put(at(s, 'properties'), 'fresh', { type: 'string' });
        put(s, 'required', [...(s.required as unknown as string[]), 'fresh']);
      },
      'CreateService (sent) requires fresh',
    ],
    [
      'a member of a request',
      (d) => {
        drop(at(schema(d, 'CreateService'), 'properties'), 'configs');
      },
      'CreateService.configs (sent) is gone',
    ],
    [
      'the items of a list',
      (d) => {
        put(property(d, 'CreateService', 'configs'), 'items', { type: 'integer' });
      },
      'CreateService.configs[] (sent) was string and is integer',
    ],
    [
      'the values of a request',
      (d) => {
        put(property(d, 'CreateService', 'name'), 'enum', ['a']);
      },
      'CreateService.name (sent) takes some values only',
    ],
    [
      'a parameter',
      (d) => {
        const g = at(services(d), 'get');
        put(
          g,
          'parameters',
          (g.parameters as unknown as { name: string }[]).filter((p) => p.name !== 'filter'),
        );
      },
      'GET /services no longer takes filter',
    ],
    [
      'a required parameter',
      (d) => {
        const g = at(services(d), 'get');
        put(g, 'parameters', [
          ...(g.parameters as unknown as object[]),
          { name: 'x', in: 'query', required: true },
        ]);
      },
      'GET /services requires x',
    ],
    [
      'a required body',
      (d) => {
        put(at(d, 'paths', '/database/snapshot', 'post'), 'requestBody', {
          required: true,
          content: {},
        });
      },
      'POST /database/snapshot requires a body',
    ],
  ];

  test.each(breaks)('breaks clients when it is %s', (_, change, sentence) => {
    expect(after(change)).toContain(sentence);
  });

  test('breaks clients when a value is taken no more or a bound is tighter', () => {
    const values = (list: string[]) => (d: Json) => {
      put(property(d, 'CreateService', 'name'), 'enum', list);
    };
    expect(after(values(['a']), values(['a', 'b']))).toStrictEqual([
      'CreateService.name (sent) no longer takes "b"',
    ]);
    const most = (n: number) => (d: Json) => {
      put(property(d, 'CreateService', 'maxIdleTimeMillis'), 'maximum', n);
    };
    expect(after(most(9), most(10))).toStrictEqual([
      'CreateService.maxIdleTimeMillis (sent) has a lower maximum',
    ]);
    expect(after(most(11), most(10))).toStrictEqual([]);
  });

  const harmless: [string, (document: Json) => void][] = [
    [
      'a new path',
      (d) => {
        put(at(d, 'paths'), '/new', services(d));
      },
    ],
    [
      'a new property of an answer',
      (d) => {
        put(at(schema(d, 'Service'), 'properties'), 'fresh', { type: 'string' });
      },
    ],
    [
      'a new member of a request',
      (d) => {
        put(at(schema(d, 'CreateService'), 'properties'), 'fresh', { type: 'string' });
      },
    ],
    [
      'a new optional parameter',
      (d) => {
        const g = at(services(d), 'get');
        put(g, 'parameters', [
          ...(g.parameters as unknown as object[]),
          { name: 'x', in: 'query' },
        ]);
      },
    ],
    [
      'a member that is required no more',
      (d) => {
        put(schema(d, 'CreateService'), 'required', []);
      },
    ],
    [
      'a member that may be null',
      (d) => {
        put(property(d, 'CreateService', 'name'), 'nullable', true);
      },
    ],
    [
      'another description',
      (d) => {
        put(at(services(d), 'get'), 'summary', 'Other words.');
      },
    ],
    [
      'another name of a schema',
      (d) => {
        put(at(d, 'components', 'schemas'), 'Other', schema(d, 'Service'));
        const named = JSON.stringify(at(d, 'paths')).replaceAll('/Service"', '/Other"');
        put(d, 'paths', JSON.parse(named));
      },
    ],
  ];

  test.each(harmless)('breaks nobody when it is %s', (_, change) => {
    expect(after(change)).toStrictEqual([]);
  });
});

describe('a change of the graph', () => {
  const before =
    'type Query { thing(id: ID!): Thing list: [Thing!]! } type Thing { id: ID! name: String! }';
  const found = (now: string): string[] => breakingChanges('schema.graphql', before, now);

  test.each([
    ['a field that is gone', before.replace(' name: String!', ''), 'Thing.name was removed.'],
    [
      'another type',
      before.replace('name: String!', 'name: Int!'),
      'Thing.name changed type from String! to Int!.',
    ],
    [
      'what may be null',
      before.replace('name: String!', 'name: String'),
      'Thing.name changed type from String! to String.',
    ],
    [
      'a required argument',
      before.replace('id: ID!)', 'id: ID! of: ID!)'),
      'A required arg of on Query.thing was added',
    ],
  ])('breaks clients when it is %s', (_, now, sentence) => {
    expect(found(now).join()).toContain(sentence);
  });

  test('breaks nobody when something is added', () => {
    expect(
      found(`${before.replace('name:', 'more: Int name:')} type New { id: ID! }`),
    ).toStrictEqual([]);
  });
});

describe('the schemas of this checkout', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overgraph-released-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const emit = (...args: string[]): Promise<{ code: number; errors: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, ['dist/src/programs/emit.js', ...args], (error, _, errors) => {
        resolve({ code: error ? Number(error.code) : 0, errors });
      });
    });

  /** The schemas that the command compares, without the time that it takes to make them: `npm run check` holds them equal. */
  const committed = async (): Promise<Schemas> => {
    const names = ['schema.graphql', 'edge-client.json', 'edge-management.json', 'fabric.json'];
    const texts = names.map(async (name) => {
      return [name, await readFile(join('schema', name), 'utf8')] as const;
    });
    return new Map(await Promise.all(texts));
  };

  test('break no client of the last release', async () => {
    expect(await emit('--breaking')).toStrictEqual({ code: 0, errors: '' });
  });

  test('are refused with what they break, until there is a reason for it', async () => {
    await cp('schema/released', folder, { recursive: true });
    const graph = join(folder, 'schema.graphql');
    await writeFile(
      graph,
      `${await readFile(graph, 'utf8')}\nextend type Query { gone: String }\n`,
    );
    const refused = await emit('--breaking', folder);
    expect(refused.code).toBe(1);
    expect(refused.errors).toContain('schema.graphql: Query.gone was removed.\n');
    expect(refused.errors).toContain('allowed-breaks.json');

    const allowed = join(folder, 'allowed-breaks.json');
    const known = JSON.parse(
      await readFile('schema/released/allowed-breaks.json', 'utf8'),
    ) as object[];
    const entry = {
      in: 'schema.graphql',
      change: 'Query.gone was removed.',
      reason: 'nobody used it',
    };
    await writeFile(allowed, JSON.stringify([...known, entry]));
    expect(await emit('--breaking', folder)).toStrictEqual({ code: 0, errors: '' });

    const schemas = await committed();
    await writeFile(allowed, JSON.stringify([...known, { ...entry, change: 'Query.go* was *.' }]));
    expect(await faultsAgainstRelease(folder, schemas)).toEqual([]);

    const idle = { ...entry, change: 'Query.identities was removed.' };
    await writeFile(allowed, JSON.stringify([...known, entry, idle, { ...entry, reason: ' ' }]));
    expect(await faultsAgainstRelease(folder, schemas)).toEqual([
      'allowed-breaks.json: schema.graphql does not have "Query.identities was removed."',
      'allowed-breaks.json: no reason for "Query.gone was removed."',
    ]);
  });

  test('become the released ones by a command', async () => {
    expect(await emit('--release', folder)).toStrictEqual({ code: 0, errors: '' });
    expect(await emit('--breaking', folder)).toStrictEqual({ code: 0, errors: '' });
    expect(await readFile(join(folder, 'allowed-breaks.json'), 'utf8')).toBe('[]\n');
    const client = await readFile(join(folder, 'edge-client.json'), 'utf8');
    expect(JSON.parse(client)).toStrictEqual(
      JSON.parse(await readFile('schema/edge-client.json', 'utf8')),
    );
  });
});
