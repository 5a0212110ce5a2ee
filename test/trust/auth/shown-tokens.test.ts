import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import { eventually } from '../../support/eventually.js';
import { callerOf, InProcess, InProcessRest } from '../../support/in-process.js';
import { ADMIN_LOGIN, inSession, login } from './in-process-logins.js';

/** Tokens are keys. Each is shown to those who may hold it, and an empty text to others. */

let controller: InProcess;
/** Identity -> id, by what it may do. */
const ids: Record<string, string> = {};
/** Tokens that are in the database, by what they open. */
const tokens: Record<string, string> = {};

const HOLDERS = {
  nothing: [],
  sessions: ['ops.read', 'identity.read', 'service.read'],
  readonly: ['admin_readonly'],
  enrollmentReader: ['enrollment.read', 'identity.read', 'router.read'],
  inviter: ['enrollment.create', 'enrollment.read', 'identity.read'],
  creator: ['identity.create', 'identity.read', 'enrollment.read'],
  routers: ['router.update', 'router.read', 'enrollment.read'],
} as const;

type Holder = keyof typeof HOLDERS | 'administrator';

beforeAll(async () => {
  controller = await InProcess.start();
  const people = { ...HOLDERS, plain: [], administrator: [], helper: ['config.read'] };
  for (const [name, permissions] of Object.entries(people)) {
    ids[name] = await controller.create('Identity', {
      name,
      type: 'Default',
      isAdmin: name === 'administrator',
      permissions: [...permissions],
      enrollment: { updb: `user-${name}` },
    });
    tokens[`enrollment of ${name}`] = await tokenOf('identity_id', ids[name] ?? '');
    tokens[`session of ${name}`] = (await controller.openSession(ids[name] ?? '')).token;
  }
  ids.router = await controller.create('EdgeRouter', { name: 'router' });
  tokens.router = await tokenOf('edge_router_id', ids.router);
});
afterAll(() => controller.stop());

async function tokenOf(owner: string, id: string): Promise<string> {
  const [row] = await controller.parts.store.query(
    sql<{
      token: string;
    }>`select token from enrollment n where to_jsonb(n) ->> ${owner}::text = ${id}::text`,
  );
  return String(row?.token);
}

const as = (holder: Holder): Promise<RequestContext> =>
  inSession(controller, String(tokens[`session of ${holder}`]));

/** Everything that a caller can read of what holds tokens. */
const READS = [
  '{ apiSessions(first: 100) { nodes { id token } } }',
  '{ identities(first: 100) { nodes { apiSessions { nodes { token } } } } }',
  '{ identities(first: 100) { nodes { enrollment { updb { token jwt } ott { token jwt } ottca { token jwt } } } } }',
  '{ identities(first: 100) { nodes { enrollments { nodes { token jwt } } } } }',
  '{ enrollments(first: 100) { nodes { token jwt identity { enrollment { updb { token jwt } } } } } }',
  '{ edgeRouters { nodes { enrollmentToken enrollmentJwt } } }',
  '{ sessions(first: 100) { nodes { token apiSession { token } } } }',
  '{ currentIdentity { enrollment { updb { token jwt } } enrollments { nodes { token jwt } } } }',
  '{ currentApiSession { token } }',
];

/** The tokens that are somewhere in what a caller reads; that of a JWT counts as the token itself. */
async function shownTo(holder: Holder): Promise<string[]> {
  const ctx = await as(holder);
  const texts = await Promise.all(
    READS.map(async (document) => JSON.stringify((await controller.graph(document, {}, ctx)).data)),
  );
  const payloads = [...texts.join().matchAll(/"ey[\w-]+\.([\w-]+)\.[\w-]*"/g)].map(([, claims]) =>
    Buffer.from(claims ?? '', 'base64url').toString(),
  );
  const all = [...texts, ...payloads].join();
  return Object.keys(tokens)
    .filter((name) => all.includes(String(tokens[name])))
    .sort();
}

/** Identities that may do nothing, or no more than those who may invite them. */
const enrollmentsOf = (...names: string[]): string[] => names.map((n) => `enrollment of ${n}`);

describe('tokens', () => {
  test.each<[Holder, string[]]>([
    ['nothing', []],
    ['sessions', []],
    ['readonly', []],
    ['enrollmentReader', []],
    ['inviter', enrollmentsOf('inviter', 'nothing', 'plain')],
    ['creator', enrollmentsOf('creator', 'nothing', 'plain')],
    ['routers', ['router']],
  ])('are shown to the holder of %s only where it could make them itself', async (holder, more) => {
    const expected = [`session of ${holder}`, ...more].sort();
    expect(await shownTo(holder)).toStrictEqual(expected);
  });

  test('are all shown to an administrator', async () => {
    expect(await shownTo('administrator')).toStrictEqual(Object.keys(tokens).sort());
  });

  test('are shown at login', async () => {
    const session = await login(controller, ADMIN_LOGIN);
    expect(session).toMatchObject({ token: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
  });

  test('stay a member of REST bodies, empty where they are not shown', async () => {
    const rest = await InProcessRest.listen(controller, String(ids.readonly));
    try {
      const { body } = await rest.get('/api-sessions?filter=limit%20none');
      const rows = body.data as { token: string; identity: { name: string } }[];
      expect(rows.length).toBeGreaterThan(9);
      expect(rows.filter(({ token }) => token !== '')).toHaveLength(1);
      const identity = await rest.get(`/identities/${String(ids.plain)}`);
      expect((identity.body.data as { enrollment: object }).enrollment).toMatchObject({
        updb: { token: '', jwt: '', id: expect.any(String) as unknown },
      });
    } finally {
      await rest.stop();
    }
  });
});

describe('a token that is not shown', () => {
  const FILTERS = [
    'query ($v: String!) { apiSessions(filter: $v) { totalCount } }',
    'query ($v: String!) { identities(filter: $v) { totalCount } }',
    'query ($v: String!) { apiSessions(sort: $v) { totalCount } }',
  ];

  test.each([
    [FILTERS[0], 'token contains "a"'],
    [FILTERS[0], 'not (token < "b")'],
    [FILTERS[0], 'id != "" sort by token'],
    [FILTERS[1], 'anyOf(apiSessions.token) contains "a"'],
    [FILTERS[1], 'not isEmpty(from apiSessions where token contains "a")'],
    [FILTERS[2], 'token desc'],
  ])('can not be found out by %s with %s', async (document, v) => {
    const ctx = controller.ctx(callerOf(String(ids.sessions), ...HOLDERS.sessions));
    const { errors } = await controller.graph(String(document), { v }, ctx);
    expect(errors.map((error) => error?.code)).toStrictEqual(['UNAUTHORIZED']);
  });

  test.each([
    '{ apiSessions(where: { token: { contains: "a" } }) { totalCount } }',
    '{ apiSessions(orderBy: [{ field: token }]) { edges { cursor } } }',
    '{ identities(where: { apiSessions: { some: { token: { gt: "a" } } } }) { totalCount } }',
    '{ enrollments(where: { not: { token: { lt: "a" } } }) { totalCount } }',
  ])('can not be found out by %s', async (document) => {
    const rights = ['ops.read', 'identity.read', 'enrollment.read'];
    const ctx = controller.ctx(callerOf(String(ids.sessions), ...rights));
    const { errors } = await controller.graph(document, {}, ctx);
    expect(errors.map((error) => error?.code)).toStrictEqual(['UNAUTHORIZED']);
  });
});

describe('the change log', () => {
  test('names no API session by its id', async () => {
    const session = await login(controller, ADMIN_LOGIN);
    if (typeof session === 'string') throw new Error(session);
    const ctx = await inSession(controller, session.token);
    await controller.read(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { name: "renamed" }) { id } }',
      { id: ids.plain },
      ctx,
    );
    // A change is in the log as soon as no earlier transaction of the server is open.
    const { value: named } = await eventually(async () => {
      const { changes } = await controller.read<{ changes: { nodes: Row[] } }>(
        `{ changes(filter: "type = \\"Identity\\" and apiSessionId != null", first: 100) { nodes { apiSessionId } } }`,
      );
      const ids = changes.nodes.map(({ apiSessionId }) => apiSessionId);
      expect(ids).toContainEqual(expect.stringMatching(/^[0-9a-f]{20}$/));
      return ids;
    });
    expect(named).not.toContain(session.id);
  });
});
