import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { originOf } from '../../../src/kernel/write/write.js';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import {
  contextOf,
  inSession,
  MINUTE,
  newUser,
  storedActivity,
  TestClock,
  tokenOf,
} from './in-process-logins.js';

/* What API sessions do as time goes by, with a clock of our own. */

const TIMEOUT = 30 * MINUTE;
const clock = new TestClock();

let two: TwoInProcess;
let controller: InProcess;
/** On the same database, and told of nothing that the first one does. */
let other: InProcess;
let token: string;

beforeAll(async () => {
  const options = { now: clock.now, sessionTimeoutMs: TIMEOUT };
  two = await startTwo(options);
  ({ controller, other } = two);
});
afterAll(() => two.stop());
beforeEach(async () => {
  token = await tokenOf(controller);
});

const isAlive = async (on: InProcess = controller): Promise<boolean> =>
  (await inSession(on, token)).caller !== undefined;

const expire = (on: InProcess = controller): Promise<void> => {
  const ctx = on.anonymous();
  return on.parts.sessions.expire(ctx, originOf(ctx));
};

describe('inactivity', () => {
  test('ends a session after the timeout', async () => {
    clock.advance(TIMEOUT);
    await expect(isAlive()).resolves.toBe(true);
    clock.advance(TIMEOUT + 1);
    await expect(isAlive()).resolves.toBe(false);
  });

  test('ends a session that no controller has in memory', async () => {
    clock.advance(TIMEOUT + 1);
    await expect(isAlive(other)).resolves.toBe(false);
  });

  test('begins anew with every request', async () => {
    for (let i = 0; i < 4; i += 1) {
      clock.advance(TIMEOUT - 1);
      await expect(isAlive()).resolves.toBe(true);
    }
  });

  test('is shown as the end that every request moves', async () => {
    clock.advance(10 * MINUTE);
    const ctx = await inSession(controller, token);
    const shown = await controller.read<{ currentApiSession: Record<string, string> }>(
      '{ currentApiSession { expiresAt expirationSeconds lastActivityAt cachedLastActivityAt } }',
      {},
      ctx,
    );
    const now = clock.now().getTime();
    expect(shown.currentApiSession).toStrictEqual({
      expirationSeconds: TIMEOUT / 1000,
      expiresAt: new Date(now + TIMEOUT).toISOString(),
      cachedLastActivityAt: new Date(now).toISOString(),
      lastActivityAt: new Date(now - 10 * MINUTE).toISOString(),
    });
  });
});

describe('activity', () => {
  test('costs one statement for the first request and none for those after', async () => {
    const { database } = controller.parts;
    const costs: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const before = database.statements;
      clock.advance(MINUTE);
      await isAlive();
      costs.push(database.statements - before);
    }
    expect(costs).toEqual([1, 0, 0]);
  });

  test('is stored by the flush and not before', async () => {
    const opened = clock.now();
    clock.advance(5 * MINUTE);
    await isAlive();
    await expect(storedActivity(controller, token)).resolves.toEqual(opened);
    await controller.parts.sessions.flush();
    await expect(storedActivity(controller, token)).resolves.toEqual(clock.now());
  });

  test('is stored once', async () => {
    clock.advance(MINUTE);
    await isAlive();
    await controller.parts.sessions.flush();
    const before = controller.parts.database.statements;
    await controller.parts.sessions.flush();
    expect(controller.parts.database.statements - before).toBe(0);
  });

  test('never takes back what another controller has stored', async () => {
    await isAlive();
    clock.advance(MINUTE);
    await isAlive(controller);
    clock.advance(MINUTE);
    await isAlive(other);
    await other.parts.sessions.flush();
    await controller.parts.sessions.flush();
    await expect(storedActivity(controller, token)).resolves.toEqual(clock.now());
  });

  test('leaves no trace in the change log', async () => {
    const count = sql`select count(*)::int as n from change`;
    clock.advance(MINUTE);
    const [before] = await controller.parts.store.query(count);
    await isAlive();
    await controller.parts.sessions.flush();
    await expect(controller.parts.store.query(count)).resolves.toEqual([before]);
  });

  test('outlives a change of the identity that makes the controller read again', async () => {
    const user = await newUser(controller, 'changing');
    token = await tokenOf(controller, user);
    clock.advance(20 * MINUTE);
    await isAlive();
    await controller.read(
      'mutation ($id: ID!) { updateIdentity(id: $id, input: { tags: { a: 1 } }) { id } }',
      { id: user.id },
    );
    clock.advance(20 * MINUTE);
    await expect(isAlive()).resolves.toBe(true);
    await controller.parts.sessions.flush();
    await expect(storedActivity(controller, token)).resolves.toEqual(clock.now());
  });

  test('on another controller keeps a session alive that was idle here', async () => {
    await isAlive(controller);
    clock.advance(20 * MINUTE);
    await isAlive(other);
    await other.parts.sessions.flush();
    clock.advance(20 * MINUTE);
    await expect(isAlive(controller)).resolves.toBe(true);
  });
});

describe('expiry', () => {
  test('deletes what nobody used for longer than the timeout and a flush', async () => {
    clock.advance(1.1 * TIMEOUT);
    await expire();
    await expect(storedActivity(controller, token)).resolves.toBeDefined();
    clock.advance(1);
    await expire();
    await expect(storedActivity(controller, token)).resolves.toBeUndefined();
  });

  test('deletes nothing that was flushed since', async () => {
    clock.advance(TIMEOUT);
    await isAlive(other);
    clock.advance(0.1 * TIMEOUT);
    await other.parts.sessions.flush();
    clock.advance(0.1 * TIMEOUT);
    await expire();
    await expect(storedActivity(controller, token)).resolves.toBeDefined();
    await expect(isAlive()).resolves.toBe(true);
  });

  test('deletes nothing that is being flushed', async () => {
    clock.advance(2 * TIMEOUT);
    const { pool } = controller.parts.database;
    const flushing = await pool.connect();
    await flushing.query('begin');
    await flushing.query('update api_session set last_activity_at = $1 where token = $2', [
      clock.now(),
      token,
    ]);
    await expire();
    await flushing.query('commit');
    flushing.release();
    await expect(storedActivity(controller, token)).resolves.toEqual(clock.now());
  });

  test('goes through more than one batch', async () => {
    const insert = sql`insert into api_session
        (id, created_at, updated_at, token, identity_id, authenticator_id, ip_address, last_activity_at)
      select 'old-' || n, now(), now(), 'old-' || n, (select id from identity where is_default_admin), 'internal', '', ${clock.now()}::timestamptz
      from generate_series(1, 1100) n`;
    await controller.parts.store.query(insert);
    clock.advance(2 * TIMEOUT);
    await expire();
    const left = sql`select count(*)::int as n from api_session where id like 'old-%'`;
    await expect(controller.parts.store.query(left)).resolves.toEqual([{ n: 0 }]);
  });
});

describe('a session that another controller ended', () => {
  const WRITES = [
    [
      'creates nothing',
      `mutation { createIdentity(input: { name: "late", type: Default, isAdmin: false }) { id } }`,
      sql`select count(*)::int as n from identity where name = 'late'`,
    ],
    [
      'sets up no second factor',
      'mutation { createCurrentMfa }',
      sql`select count(*)::int as n from mfa`,
    ],
  ] as const;

  test.each(WRITES)('%s here, though it is remembered', async (_, text, counting) => {
    await expect(isAlive(other)).resolves.toBe(true);
    const ending = await inSession(controller, token);
    await controller.read('mutation { deleteCurrentApiSession }', {}, ending);

    const late = await inSession(other, token);
    expect(late.caller).toBeDefined();
    const { errors } = await other.graph(text, {}, late);
    expect(errors.map((e) => e?.code)).toEqual(['UNAUTHORIZED']);
    await expect(other.parts.store.query(counting)).resolves.toEqual([{ n: 0 }]);
  });

  test.each(['currentApiSession { id }', 'currentIdentity { id }'])(
    'is told so by %s',
    async (field) => {
      await isAlive(other);
      const user = await newUser(controller, `gone-${field.slice(0, 10)}`);
      token = await tokenOf(controller, user);
      await isAlive(other);
      await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: user.id });
      const { errors } = await other.graph(`{ ${field} }`, {}, await inSession(other, token));
      expect(errors.map((e) => e?.code)).toEqual(['UNAUTHORIZED']);
    },
  );

  test('does not stand in the way of a login that brings it along', async () => {
    await isAlive(other);
    await controller.read(
      'mutation { deleteCurrentApiSession }',
      {},
      await inSession(controller, token),
    );
    const { errors } = await other.graph(
      'mutation { authenticate(method: "password", input: { username: "admin", password: "correct horse" }) { id } }',
      {},
      await inSession(other, token),
    );
    expect(errors).toEqual([]);
  });
});

describe('a login that was overtaken', () => {
  const session = (identityId: string, authenticatorId: string) => ({
    identityId,
    authenticatorId,
    ipAddress: '127.0.0.1',
    configTypes: [],
    isCertExtendable: false,
    improperClientCertChain: false,
  });

  test.each(['deleteAuthenticator', 'deleteIdentity', 'disableIdentity'])(
    'by %s opens no session',
    async (name) => {
      const { id, authenticatorId } = await newUser(controller, `overtaken-${name}`);
      const target = name === 'deleteAuthenticator' ? authenticatorId : id;
      const more = name === 'disableIdentity' ? ', durationMinutes: 0) { id }' : ')';
      await controller.read(`mutation ($id: ID!) { ${name}(id: $id${more} }`, { id: target });
      const origin = originOf(controller.anonymous());
      await expect(
        controller.parts.sessions.create(
          controller.parts.store,
          origin,
          session(id, authenticatorId),
        ),
      ).rejects.toMatchObject({ code: 'INVALID_AUTH' });
    },
  );
});

describe('the session of a request', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['is named by zt-session', { 'zt-session': 'TOKEN' }, true],
    ['may have blanks around it', { 'zt-session': '  TOKEN ' }, true],
    ['may be a bearer', { authorization: 'Bearer TOKEN' }, true],
    ['needs the scheme as written', { authorization: 'bearer TOKEN' }, false],
    [
      'is not looked for in bearers beside zt-session',
      { 'zt-session': 'x', authorization: 'Bearer TOKEN' },
      false,
    ],
    [
      'is taken from the header before a bad bearer',
      { 'zt-session': 'TOKEN', authorization: 'Bearer x' },
      true,
    ],
  ])('%s', async (_, headers, expected) => {
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('TOKEN', token)]),
    );
    const { caller } = await contextOf(controller, sent);
    expect(caller !== undefined).toBe(expected);
  });
});
