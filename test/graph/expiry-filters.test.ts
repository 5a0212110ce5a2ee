import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callerOf, InProcess } from '../support/in-process.js';

/* Lists of sessions by when they end, as the field of the same name says it, with a clock that tests set. */

const START = Date.parse('2030-01-01T12:00:00.000Z');
const MINUTE = 60_000;
const TIMEOUT = 30 * MINUTE;

let now = START;
const at = (minutes: number): string => new Date(START + minutes * MINUTE).toISOString();

let controller: InProcess;
/** Opened a minute after each other, by the order of their opening. */
const opened: { readonly id: string; readonly token: string }[] = [];
const sessions: string[] = [];

beforeAll(async () => {
  controller = await InProcess.start(undefined, {
    now: () => new Date(now),
    sessionTimeoutMs: TIMEOUT,
  });
  const service = await controller.create('Service', { name: 'wiki', encryptionRequired: true });
  const identity = await controller.create('Identity', {
    name: 'ada',
    type: 'Default',
    isAdmin: false,
  });
  await controller.create('ServicePolicy', {
    name: 'ada reads',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    serviceRoles: [`@${service}`],
  });
  await controller.create('EdgeRouter', { name: 'gate' });
  await controller.create('EdgeRouterPolicy', {
    name: 'everybody',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  await controller.create('ServiceEdgeRouterPolicy', {
    name: 'everything',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  for (let i = 0; i < 4; i += 1) {
    now = START + i * MINUTE;
    const { id, token } = await controller.openSession(identity);
    opened.push({ id, token });
    const { openSession } = await controller.read<{ openSession: { id: string } }>(
      'mutation ($id: ID!) { openSession(input: { serviceId: $id }) { id } }',
      { id: service },
      controller.ctx({ ...callerOf(identity), apiSessionId: id }),
    );
    sessions.push(openSession.id);
  }
  // The first is used again, which is not stored yet.
  now = START + 10 * MINUTE;
  await controller.parts.sessions.find(opened[0]?.token ?? '');
});
afterAll(() => controller.stop());

interface Ending {
  readonly id: string;
  readonly expiresAt: string;
}

/** In the order of the test: 1 is the session that was opened first. */
async function endings(
  list: 'apiSessions' | 'sessions',
  where: object,
  args = '',
): Promise<[number, string][]> {
  const type = list === 'apiSessions' ? 'ApiSession' : 'Session';
  const ids = list === 'apiSessions' ? opened.map(({ id }) => id) : sessions;
  const own = { and: [where, { id: { in: ids } }] };
  const answer = await controller.read<Record<string, { nodes: Ending[] }>>(
    `query ($where: ${type}Where) { ${list}(where: $where ${args}) { nodes { id expiresAt } } }`,
    { where: own },
  );
  return (answer[list]?.nodes ?? []).map(({ id, expiresAt }) => [ids.indexOf(id) + 1, expiresAt]);
}

describe.each(['apiSessions', 'sessions'] as const)('%s by `expiresAt`', (list) => {
  const by = (direction: string): string =>
    `orderBy: [{ field: expiresAt, direction: ${direction} }]`;

  test('come in the order of what the field says', async () => {
    expect(await endings(list, {}, by('asc'))).toStrictEqual([
      [2, at(31)],
      [3, at(32)],
      [4, at(33)],
      [1, at(40)],
    ]);
    expect((await endings(list, {}, by('desc'))).map(([n]) => n)).toStrictEqual([1, 4, 3, 2]);
  });

  test.each([
    [{ gt: at(32) }, [4, 1]],
    [{ gte: at(32) }, [3, 4, 1]],
    [{ lt: at(32) }, [2]],
    [{ eq: at(40) }, [1]],
    [{ between: [at(31), at(33)] }, [2, 3]],
    [{ gt: at(40) }, []],
  ])('are those of which %j is true', async (condition, expected) => {
    const found = await endings(list, { expiresAt: condition }, by('asc'));
    expect(found.map(([n]) => n)).toStrictEqual(expected);
  });

  test('are the same once the activity is stored', async () => {
    const before = await endings(list, {}, by('asc'));
    await controller.parts.sessions.flush();
    expect(await endings(list, {}, by('asc'))).toStrictEqual(before);
  });

  test('are paged by it in both directions', async () => {
    const ids = list === 'apiSessions' ? opened.map(({ id }) => id) : sessions;
    const type = list === 'apiSessions' ? 'ApiSession' : 'Session';
    const page = async (args: string): Promise<{ n: number; cursor: string }[]> => {
      const answer = await controller.read<
        Record<string, { edges: { cursor: string; node: { id: string } }[] }>
      >(
        `query ($where: ${type}Where) { ${list}(where: $where, ${by('asc')}, ${args}) { edges { cursor node { id } } } }`,
        { where: { id: { in: ids } } },
      );
      const edges = answer[list]?.edges ?? [];
      return edges.map(({ cursor, node }) => ({ n: ids.indexOf(node.id) + 1, cursor }));
    };
    const [, second] = await page('first: 2');
    const after = await page(`first: 2, after: ${JSON.stringify(second?.cursor)}`);
    expect(after.map(({ n }) => n)).toStrictEqual([4, 1]);
    const before = await page(`last: 2, before: ${JSON.stringify(after[0]?.cursor)}`);
    expect(before.map(({ n }) => n)).toStrictEqual([2, 3]);
  });
});

test('the certificates of an API session are those that end before a time', async () => {
  const { apiSessionCertificates } = await controller.read<{
    apiSessionCertificates: { totalCount: number };
  }>(
    '{ apiSessionCertificates(where: { validTo: { gt: "2020-01-01T00:00:00Z" } }, orderBy: [{ field: validTo }]) { totalCount } }',
  );
  expect(apiSessionCertificates.totalCount).toBe(0);
});

test('an identity is disabled by the clock of the controller', async () => {
  const id = await controller.create('Identity', { name: 'bob', type: 'Default', isAdmin: false });
  await controller.read(
    'mutation ($id: ID!) { disableIdentity(id: $id, durationMinutes: 5) { id } }',
    { id },
  );
  const disabled = async (): Promise<string[]> => {
    const { identities } = await controller.read<{ identities: { nodes: { id: string }[] } }>(
      '{ identities(where: { disabled: { eq: true } }) { nodes { id } } }',
    );
    return identities.nodes.map((node) => node.id);
  };
  expect(await disabled()).toStrictEqual([id]);
  now += 6 * MINUTE;
  expect(await disabled()).toStrictEqual([]);
});
