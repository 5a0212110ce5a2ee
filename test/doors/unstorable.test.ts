import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startController, type Answer, type TestController } from '../support/controller.js';
import { inTurn } from './in-turn.js';
import { graphPlaces, jsonWith, restPlaces, type RestPlace } from './places.js';

/** What is stored nowhere, such as NUL and halves of characters: refused where it comes in. */

let controller: TestController;

beforeAll(async () => {
  controller = await startController({ env: { OVERGRAPH_LOGIN_LIMIT: '0' } });
});
afterAll(() => controller.stop());

const NUL = '"a\\u0000b"';
const HALF = '"\\ud83d"';
const WHOLE = '"\\ud83d\\ude00 \\\\u0000"';
const REASON = 'must be text without NUL and lone surrogates';

const withSession = (): Record<string, string> => ({
  'content-type': 'application/json',
  'zt-session': controller.token,
});

interface Refusal {
  readonly error?: {
    readonly code: string;
    readonly cause?: { readonly field?: string; readonly reason?: string };
  };
  readonly errors?: readonly {
    readonly extensions: { readonly code: string; readonly field?: string };
  }[];
}

const send = (method: string, url: string, body?: string): Promise<Answer<Refusal>> =>
  controller.send(method, url, {
    ...(body === undefined ? {} : { body }),
    headers: { ...withSession(), 'content-length': String(Buffer.byteLength(body ?? '')) },
  });

const graph = (query: string, variables: string): Promise<Answer<Refusal>> =>
  send('POST', '/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`);

describe('in REST bodies', () => {
  const places = restPlaces().filter(({ row }) => row.body?.kind !== 'text');

  /** What is not refused in so many words; rows that judge their texts refuse in their own. */
  async function fault({ method, url, path, row }: RestPlace, value: string): Promise<string[]> {
    const answer = await send(method, url, jsonWith(path, value));
    const { status, body } = answer;
    const named = status === 400 && body.error?.cause?.field === (path.join('.') || 'body');
    const isRefused = row.anyText === true ? status >= 400 && status < 500 : named;
    return isRefused ? [] : [`${method} ${url} ${path.join('.')}: ${answer.text}`];
  }

  test.each([
    ['NUL', NUL],
    ['half a character', HALF],
  ])(
    '%s is refused with its place',
    async (_, value) => {
      const faults: string[] = [];
      await inTurn(places, async (place) => void faults.push(...(await fault(place, value))));
      expect(faults).toStrictEqual([]);
    },
    60_000,
  );

  test('names of members count, in free objects too', async () => {
    const answer = await send('POST', '/edge/management/v1/services', `{"tags":{${NUL}:1}}`);
    expect(answer.body.error?.cause).toMatchObject({ field: 'tags.a\0b', reason: REASON });
  });

  test('whole characters, and escapes of escapes, are text like any other', async () => {
    const body = `{"name":${WHOLE},"encryptionRequired":true,"tags":{${WHOLE}:${WHOLE}}}`;
    expect((await send('POST', '/edge/management/v1/services', body)).status).toBe(201);
  });
});

describe('in addresses', () => {
  test.each([
    ['GET', '/identities?roleFilter=%00', 'roleFilter'],
    ['GET', '/services?configTypes=a%00', 'configTypes'],
    ['GET', '/identities?limit=%00', 'limit'],
    ['GET', '/edge/client/v1/services?roleFilter=%23&roleFilter=%00', 'roleFilter'],
  ])('NUL is refused: %s %s', async (method, path, field) => {
    const { status, body } = await controller.rest(method, path);
    expect([status, body.error.cause]).toMatchObject([400, { field, reason: REASON }]);
  });

  test.each([
    ['filter=name=%22%00%22', 'INVALID_FILTER'],
    ['filter=tags.%27%00%27=1', 'INVALID_FILTER'],
    ['sort=%00', 'INVALID_SORT_IDENTIFIER'],
  ])('NUL is no part of the language of filters: %s', async (query, code) => {
    const { status, body } = await controller.rest('GET', `/identities?${query}`);
    expect([status, body.error.code]).toStrictEqual([400, code]);
  });

  test.each(['/identities/%00', '/identities/a%00/services', '/configs/%00b'])(
    'NUL is part of no id: %s',
    async (path) => {
      expect((await controller.rest('GET', path)).status).toBe(404);
    },
  );
});

describe('in the graph', () => {
  const places = graphPlaces();

  test('NUL is refused in every variable', async () => {
    const faults: string[] = [];
    await inTurn(places, async ({ document, path, kind }) => {
      const url = kind === 'subscription' ? '/graphql/stream' : '/graphql';
      const variables = jsonWith(path, NUL);
      const body = `{"query":${JSON.stringify(document)},"variables":${variables}}`;
      const { status, body: refusal, text } = await send('POST', url, body);
      const field = refusal.errors?.[0]?.extensions.field;
      if (status !== 400 || field !== ['variables', ...path].join('.')) faults.push(text);
    });
    expect(faults).toStrictEqual([]);
  });

  test.each([
    ['{ identity(id: "a\\u0000b") { id } }', 'query'],
    ['{ identities(filter: "name=\\"\\u0000\\"") { totalCount } }', 'query'],
    ['{ identities(where: { name: { eq: "\\u{0}" } }) { totalCount } }', 'query'],
    ['{ identity(id: """\0""") { id } }', 'query'],
    ['{ identity(id: "\\ud83d") { id } }', undefined],
  ])('in literals it is refused: %j', async (query, field) => {
    const { status, body } = await graph(query, '{}');
    expect([status, body.errors?.[0]?.extensions.field]).toStrictEqual([400, field]);
  });

  test('in the address it is refused', async () => {
    const query = 'query ($id: ID!) { identity(id: $id) { id } }';
    for (const [url, text] of [
      ['/graphql', query],
      ['/graphql/stream', 'subscription ($id: ID) { changes(since: $id) { id } }'],
    ] as const) {
      const search = new URLSearchParams({ query: text, variables: `{"id":${NUL}}` });
      const answer = await controller.send<Refusal>('GET', `${url}?${String(search)}`, {
        headers: { ...withSession(), 'apollo-require-preflight': '1' },
      });
      expect([answer.status, answer.body.errors?.[0]?.extensions.field]).toStrictEqual([
        400,
        'variables.id',
      ]);
    }
  });

  test('whole characters are text like any other', async () => {
    const query =
      'query ($id: ID!) { a: identity(id: $id) { id } b: identity(id: "\\u{1F600}") { id } }';
    const { status, body } = await graph(query, `{"id":${WHOLE}}`);
    expect([status, body.errors?.[0]?.extensions.code]).toStrictEqual([200, 'NOT_FOUND']);
  });

  test.each([
    ['credentials', `{"type":"connection_init","payload":{"zt-session":${NUL}}}`],
    ['variables', `{"id":"1","type":"subscribe","payload":{"query":"a","variables":{"a":${NUL}}}}`],
  ])('in %s of a WebSocket it ends the socket', async (_, message) => {
    const socket = new WebSocket(
      `wss://127.0.0.1:${String(controller.port)}/graphql`,
      'graphql-transport-ws',
      { rejectUnauthorized: false },
    );
    await once(socket, 'open');
    socket.send(message);
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toStrictEqual([
      4400,
      'a message holds NUL or half a character',
    ]);
  });
});

describe('in credentials', () => {
  test.each([
    ['zt-session', 'a\u0001b'],
    ['authorization', 'Bearer a\u00ffb'],
  ])('of the header %s no byte is an error of ours', async (name, value) => {
    const outcome = await controller
      .send('GET', '/edge/management/v1/identities', { headers: { [name]: value } })
      .then(
        ({ status }) => status,
        () => 400,
      );
    expect([400, 401]).toContain(outcome);
  });
});

describe('members called __proto__, and numbers without end', () => {
  const NAME = 'must not be called __proto__';
  const NUMBER = 'must be a number that fits into 64 bits';
  const CASES: readonly (readonly [string, string, string])[] = [
    ['{"k":null,"__proto__":null}', '__proto__', NAME],
    ['{"__proto__":"text"}', '__proto__', NAME],
    ['{"\\u005f_proto__":"text"}', '__proto__', NAME],
    ['{"a":{"b":[{"__proto__":{"c":1}}]}}', 'a.b.0.__proto__', NAME],
    ['{"a":[1e400]}', 'a.0', NUMBER],
    ['{"a":-1e999}', 'a', NUMBER],
  ];
  let configTypeId: string;
  let id: string;

  beforeAll(async () => {
    configTypeId = await controller.create('config-types', { name: 'free', schema: {} });
    id = await controller.create('configs', { name: 'free', configTypeId, data: { kept: true } });
  });
  const kept = async (): Promise<unknown> => {
    const { body } = await controller.rest('GET', `/configs/${id}`);
    return (body.data as { data: unknown }).data;
  };

  test.each(CASES)('are refused in bodies: %s', async (data, place, reason) => {
    const { status, body } = await send(
      'PATCH',
      `/edge/management/v1/configs/${id}`,
      `{"data":${data}}`,
    );
    expect([status, body.error?.cause]).toMatchObject([400, { field: `data.${place}`, reason }]);
    expect(await kept()).toStrictEqual({ kept: true });
  });

  const UPDATE = `mutation ($id: ID!, $data: JSONObject!) { updateConfig(id: $id, input: { data: $data }) { id } }`;

  test.each(CASES)('are refused in variables: %s', async (data, place, reason) => {
    const { body } = await graph(UPDATE, `{"id":"${id}","data":${data}}`);
    const { code, field } = body.errors?.[0]?.extensions ?? {};
    // The type of free JSON itself has no number without end.
    expect(code).toBe(reason === NAME ? 'COULD_NOT_VALIDATE' : 'GRAPHQL_VALIDATION_FAILED');
    if (reason === NAME) expect(field).toBe(`variables.data.${place}`);
    expect(await kept()).toStrictEqual({ kept: true });
  });

  test('are refused in literals', async () => {
    for (const data of ['{ k: null, __proto__: null }', '{ a: [{ __proto__: { b: 1 } }] }']) {
      const { body } = await graph(
        `mutation { updateConfig(id: "${id}", input: { data: ${data} }) { id } }`,
        '{}',
      );
      expect(body.errors?.[0]?.extensions).toMatchObject({ code: 'COULD_NOT_VALIDATE' });
    }
    expect(await kept()).toStrictEqual({ kept: true });
  });

  test('are refused in tags', async () => {
    const answer = await send('POST', '/edge/management/v1/services', '{"tags":{"__proto__":"x"}}');
    expect(answer.body.error?.cause).toMatchObject({ field: 'tags.__proto__', reason: NAME });
  });

  test('are refused in imports, with the place', async () => {
    const mutation =
      'mutation ($d: JSON!) { importNetwork(document: $d) { faults { section index field reason } } }';
    const document =
      '{"services":[{"name":"s","encryptionRequired":true,"tags":{"__proto__":"x"}}]}';
    const answer = await send(
      'POST',
      '/graphql/import',
      `{"query":${JSON.stringify(mutation)},"variables":{"d":${document}}}`,
    );
    expect(JSON.parse(answer.text)).toMatchObject({
      data: {
        importNetwork: {
          faults: [{ section: 'services', index: 0, field: 'tags.__proto__', reason: NAME }],
        },
      },
    });
  });
});
