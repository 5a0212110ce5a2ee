import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isNonNullType } from 'graphql';
import { startController, type TestController } from '../support/controller.js';
import { InProcess } from '../support/in-process.js';

/* Each root field of a document answers for itself; what it says of a fault is the fact. */

interface Body {
  readonly data: Record<string, unknown> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path: readonly string[];
    readonly extensions: { readonly code: string };
  }[];
}

let controller: TestController;

beforeAll(async () => {
  controller = await startController();
});
afterAll(() => controller.stop());

async function ask(query: string, variables = {}): Promise<Body> {
  const { body } = await controller.send<Body>('POST', '/graphql', {
    body: JSON.stringify({ query, variables }),
    headers: { 'content-type': 'application/json', 'zt-session': controller.token },
  });
  return body;
}

const faults = ({ errors = [] }: Body): unknown[] =>
  errors.map(({ path, extensions }) => [path, extensions.code]);

test('every root field may be null', async () => {
  const { schema, stop } = await InProcess.start().then((each) => ({
    schema: each.schema,
    stop: () => each.stop(),
  }));
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const fields = roots.flatMap((root) => Object.entries(root?.getFields() ?? {}));
  expect(fields.length).toBeGreaterThan(150);
  expect(fields.filter(([, { type }]) => isNonNullType(type)).map(([name]) => name)).toEqual([]);
  await stop();
});

describe('a document', () => {
  // A text that comes again is compiled.
  test.each(['plain', 'compiled', 'compiled'])(
    'of reads keeps those that can be had: %s',
    async () => {
      const answer = await ask(
        '{ wrong: identities(first: -1) { totalCount } identities(first: 1) { nodes { name } } }',
      );
      expect(answer.data).toStrictEqual({
        wrong: null,
        identities: { nodes: [{ name: 'admin' }] },
      });
      expect(faults(answer)).toStrictEqual([[['wrong'], 'COULD_NOT_VALIDATE']]);
    },
  );

  test.each(['plain', 'compiled', 'compiled'])('of writes runs each: %s', async (name) => {
    const answer = await ask(
      `mutation ($a: CreateServiceInput!, $b: CreateServiceInput!) {
        a: createService(input: $a) { name }
        nameless: createService(input: { name: "", encryptionRequired: true }) { name }
        b: createService(input: $b) { name }
      }`,
      inputs(name),
    );
    expect(answer.data).toStrictEqual({
      a: { name: expect.any(String) },
      nameless: null,
      b: { name: expect.any(String) },
    });
    expect(faults(answer)).toStrictEqual([[['nameless'], 'COULD_NOT_VALIDATE']]);
  });
});

// A text that comes again is compiled.
test.each(['plain', 'compiled', 'compiled'])(
  'a variable includes or skips a field: %s',
  async () => {
    const query = `query ($with: Boolean!, $without: Boolean = true) {
    version { version @include(if: $with) revision @skip(if: $without) } }`;
    for (const [variables, members] of [
      [{ with: true }, ['version']],
      [{ with: true, without: false }, ['version', 'revision']],
      [{ with: false, without: true }, []],
    ] as const) {
      const { data, errors } = await ask(query, variables);
      expect([errors, Object.keys(data?.version as object)]).toEqual([undefined, members]);
    }
  },
);

test.each(['plain', 'as it would be compiled', 'once more'])(
  'a field that is selected twice has no members of a selection that is skipped: %s',
  async () => {
    const { data } = await ask(
      `query ($more: Boolean!) { version { version } version @include(if: $more) { ...More } }
        fragment More on Version { revision }`,
      { more: false },
    );
    expect(data).toStrictEqual({ version: { version: expect.any(String) } });
  },
);

test.each(['plain', 'as it would be compiled', 'once more'])(
  'a variable is a part of a value: %s',
  async (name) => {
    const created = await ask(
      `mutation ($name: String!, $site: String!, $seats: JSON) { createService(input: {
        name: $name, encryptionRequired: true, tags: { site: $site, seats: $seats } }) { tags } }`,
      { name: `with tags, ${name}`, site: 'berlin', seats: 5 },
    );
    expect(created).toMatchObject({
      data: { createService: { tags: { site: 'berlin', seats: 5 } } },
    });
    const listed = await ask(
      'query ($part: String) { services(where: { name: { contains: $part } }) { totalCount } }',
    );
    expect(listed.errors).toBeUndefined();
  },
);

let count = 0;
const inputs = (prefix: string): object => {
  count += 1;
  const input = (name: string): object => ({
    name: `${prefix} ${name} ${String(count)}`,
    encryptionRequired: true,
  });
  return { a: input('a'), b: input('b') };
};

describe('the message of a fault', () => {
  test.each([
    ['{ identities(first: -1) { totalCount } }', 'first must be between 0 and 500'],
    [
      'mutation { createService(input: { name: "", encryptionRequired: true }) { id } }',
      'name is required',
    ],
    ['{ identity(id: "nobody") { id } }', 'identity with id nobody not found'],
    ['subscription { changes { id } }', 'subscriptions are served by WebSocket and event stream'],
    [
      '{ identities(filter: "name ~ 1") { totalCount } }',
      expect.stringMatching(/^The filter query supplied is invalid: ./),
    ],
  ])('of %s is what is wrong', async (query, message) => {
    const { errors } = await ask(query);
    expect(errors?.[0]?.message).toEqual(message);
  });
});
