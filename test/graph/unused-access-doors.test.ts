import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ACCESS_READS } from '../support/access-reads.js';
import { callerOf, InProcessRest } from '../support/in-process.js';
import { at, FIELDS, UnusedNetwork, USES, type Node } from './unused-network.js';

/** Permissions, times and costs of questions about unused access. */

let network: UnusedNetwork;
let rest: InProcessRest;

beforeAll(async () => {
  network = await UnusedNetwork.start();
  const { controller } = network;
  rest = await InProcessRest.listen(controller, await controller.defaultAdminId());
});
afterAll(async () => {
  await rest.stop();
  await network.controller.stop();
});
beforeEach(() => network.begin());

describe('a time', () => {
  test('before uses were recorded is refused', async () => {
    const { errors } = await network.ask(new Date(at(0).getTime() - 1));
    expect(errors).toMatchObject([
      {
        code: 'COULD_NOT_VALIDATE',
        detail: { field: 'since', reason: expect.stringContaining(at(0).toISOString()) },
      },
    ]);
    expect(await network.unused(at(0))).not.toEqual([]);
  });

  test('in the future is refused', async () => {
    const { errors } = await network.ask(at(101));
    expect(errors).toMatchObject([{ code: 'COULD_NOT_VALIDATE', detail: { field: 'since' } }]);
  });

  test('is one for a document, which may ask about it in several ways', async () => {
    const text = (second: Date): string =>
      `{ a: unusedAccess(since: "${at(10).toISOString()}") { totalCount }
         b: unusedAccess(since: "${second.toISOString()}", type: Bind) { totalCount } }`;
    await network.used(...USES);
    const { data } = await network.controller.graph(text(at(10)));
    expect(data).toEqual({ a: { totalCount: 3 }, b: { totalCount: 0 } });
    const refused = await network.controller.graph(text(at(11)));
    expect(refused.data).toEqual({ a: { totalCount: 3 }, b: null });
    expect(refused.errors[0]?.code).toBe('COULD_NOT_VALIDATE');
  });
});

test('a document has at most 10 lists', async () => {
  const text = Array.from(
    { length: 11 },
    (_, i) => `a${i}: unusedAccess(since: "${at(10).toISOString()}") { totalCount }`,
  );
  const { data, errors } = await network.controller.graph(`{ ${text.join(' ')} }`);
  expect(errors.map((error) => error?.code)).toEqual(['QUERY_TOO_COMPLEX']);
  expect(Object.values(data ?? {}).filter((list) => list !== null)).toHaveLength(10);
});

describe('a caller', () => {
  const ANALYSIS = [...ACCESS_READS, 'ops.read'];
  const askAs = (permissions: readonly string[]) =>
    network.controller.graph(
      `{ unusedAccess(since: "${at(10).toISOString()}") { nodes { ${FIELDS} } } }`,
      {},
      network.controller.ctx(callerOf(network.names.idOf('eve'), ...permissions)),
    );

  test.each(ANALYSIS)('without %s is refused', async (missing) => {
    const { data, errors } = await askAs(ANALYSIS.filter((permission) => permission !== missing));
    expect(errors.map((error) => error?.code)).toEqual(['UNAUTHORIZED']);
    expect(data).toEqual({ unusedAccess: null });
  });

  test('with all of them gets the answer', async () => {
    const { data, errors } = await askAs(ANALYSIS);
    expect(errors).toEqual([]);
    expect((data?.unusedAccess as { nodes: unknown[] }).nodes.length).toBeGreaterThan(0);
  });
});

describe('the number of statements', () => {
  test('is the same for one policy and for all', async () => {
    await network.used(...USES);
    const count = async (first: number): Promise<number> => {
      await network.controller.forgetRows();
      const { statements, messages } = await network.ask(at(1), `, first: ${String(first)}`);
      expect(messages).toEqual([]);
      return statements;
    };
    // Names are read by kind: those of policies, of identities and of services.
    expect(await count(4)).toBeLessThanOrEqual((await count(1)) + 1);
  });
});

describe('REST', () => {
  test('answers with the same', async () => {
    await network.used(...USES);
    const { status, body } = await rest.get(
      `/unused-access?since=${at(10).toISOString()}&limit=1&first=1`,
    );
    expect([status, body.meta.pagination]).toEqual([200, { limit: 1, offset: 0, totalCount: 3 }]);
    const [graph] = await network.unused(at(10));
    const [first] = body.data as Node[];
    expect(first).toMatchObject({
      policyId: network.names.idOf('staff reads'),
      unusedCount: graph?.unusedCount,
      changes: graph?.changes,
      unusedIdentities: { totalCount: graph?.unusedIdentities.totalCount },
    });
    expect(first?.unusedIdentities.nodes).toHaveLength(1);
  });

  test.each([
    ['without a time', '', 400],
    ['with a text that is no time', '?since=yesterday', 400],
    ['without a limit', `?since=${at(10).toISOString()}&limit=-1`, 400],
    [
      'with a filter that is wrong',
      `?since=${at(10).toISOString()}&identityFilter=name%20~%201`,
      400,
    ],
    ['with an unknown type', `?since=${at(10).toISOString()}&type=Both`, 400],
  ])('refuses %s', async (_, query, status) => {
    expect((await rest.get(`/unused-access${query}`)).status).toBe(status);
  });
});

test.each(['nonsense', Buffer.from('["a"]').toString('base64url')])(
  'the cursor %s is refused',
  async (cursor) => {
    const { errors } = await network.ask(at(10), `, after: "${cursor}"`);
    expect(errors[0]?.code).toBe('COULD_NOT_VALIDATE');
  },
);
