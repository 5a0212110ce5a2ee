import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LoginAttempt } from '../../../src/trust/auth/index.js';
import { sql } from '../../../src/base/sql.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';
import { dialling, open } from '../../access/enforcement/dialling.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { authPolicy, unique } from './client.js';
import { login, loginFrom, MINUTE, newUser, TestClock, tokenOf } from './in-process-logins.js';

/* Failed logins and sessions by the hour, at two controllers of one network and under a clock. */

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KEEP = 3 * DAY;
/** More than a test passes, so that no test sees what another one counts. */
const BEYOND = 400 * HOUR;

const clock = new TestClock(Date.parse('2026-05-01T10:30:00Z'));
let network: TwoInProcess;
let controller: InProcess;
let other: InProcess;

beforeAll(async () => {
  network = await startTwo({ now: clock.now, loginsKeepMs: KEEP });
  ({ controller, other } = network);
});
afterAll(() => network.stop());
beforeEach(() => {
  // To half past an hour.
  clock.advance(BEYOND + HOUR - ((clock.now().getTime() - 30 * MINUTE) % HOUR));
});
afterEach(async () => {
  await flush();
});

const flush = async (on: readonly InProcess[] = [controller, other]): Promise<void> => {
  for (const each of on) await each.parts.loginCounts.flush();
};

const wrong = async (username: string, on = controller, address = '10.0.0.1'): Promise<void> => {
  const refusal = await loginFrom(on, { username, password: 'wrong one' }, address);
  expect(refusal?.status).toBe(401);
};

interface Group {
  readonly refusal: string;
  readonly owner: string;
  readonly identityId: string | null;
  readonly sender: string | null;
  readonly count: number;
  readonly lastAt: string;
}

interface Failed {
  readonly total: number;
  readonly groupCount: number;
  readonly nodes: readonly Group[];
}

interface Hour {
  readonly hour: string;
  readonly apiSessions: number;
  readonly sessions: number;
  readonly failedLogins: number;
}

const ASKED = `query ($hours: Int, $first: Int) { overview {
  sessions(hours: $hours) { hour apiSessions sessions failedLogins }
  failedLogins(hours: $hours, first: $first) {
    total groupCount nodes { refusal owner identityId sender count lastAt } } } }`;

async function ask(hours = 24, first = 100): Promise<{ sessions: Hour[]; failedLogins: Failed }> {
  const answer = await controller.read<{
    overview: { sessions: Hour[]; failedLogins: Failed };
  }>(ASKED, { hours, first });
  return answer.overview;
}

const failed = async (hours?: number): Promise<Failed> => (await ask(hours)).failedLogins;

describe('failed logins', () => {
  test('are added up over controllers', async () => {
    const user = await newUser(controller, unique('both'));
    await wrong(user.username, controller);
    clock.advance(1_000);
    await wrong(user.username, other);
    const last = clock.now().toISOString();
    await flush();
    clock.advance(1_000);
    expect(await failed()).toEqual({
      total: 2,
      groupCount: 1,
      nodes: [
        {
          refusal: 'WRONG_PASSWORD',
          owner: 'IDENTITY',
          identityId: user.id,
          sender: '10.0.0.1',
          count: 2,
          lastAt: last,
        },
      ],
    });
  });

  test('are stored at once from several controllers', async () => {
    const user = await newUser(controller, unique('same'));
    for (const on of [controller, other]) await wrong(user.username, on);
    await Promise.all([controller, other].map((each) => flush([each])));
    expect(await failed()).toMatchObject({ total: 2, nodes: [{ count: 2 }] });
  });

  test('of an IPv6 address count for its network', async () => {
    const user = await newUser(controller, unique('six'));
    for (const end of ['1', '2']) await wrong(user.username, controller, `2001:db8::${end}`);
    await flush();
    expect((await failed()).nodes).toMatchObject([{ sender: '2001:db8:0:0::/64', count: 2 }]);
  });

  test('say when strangers are locked out, and not the owner', async () => {
    const authPolicyId = await controller.create(
      'AuthPolicy',
      authPolicy({ updb: { maxAttempts: 1, lockoutDurationMinutes: 10 } }),
    );
    const user = await newUser(controller, unique('locked'), { authPolicyId });
    const credentials = { username: user.username, password: user.password };
    expect(await loginFrom(controller, credentials, '10.0.0.7')).toBeUndefined();
    // The first one counts, the second one is locked out.
    await wrong(user.username);
    await wrong(user.username);
    expect(await loginFrom(controller, credentials, '10.0.0.7')).toBeUndefined();
    await flush();
    const refusals = (await failed()).nodes.map(({ refusal }) => refusal).sort();
    expect(refusals).toEqual(['LOCKED_OUT', 'WRONG_PASSWORD']);
  });

  test('come with the largest groups first, and are all counted', async () => {
    const user = await newUser(controller, unique('large'));
    for (const from of ['10.0.0.1', '10.0.0.2', '10.0.0.1']) {
      await wrong(user.username, controller, from);
    }
    await wrong('nobody at all');
    await flush();
    const { failedLogins } = await ask(24, 1);
    expect(failedLogins).toMatchObject({ total: 4, groupCount: 3, nodes: [{ count: 2 }] });
  });

  test('that were not stored yet are tried again', async () => {
    const user = await newUser(controller, unique('later'));
    await wrong(user.username);
    const { store } = controller.parts;
    Object.assign(store, { write: () => Promise.reject(new Error('no database')) });
    await expect(flush([controller])).rejects.toThrow('no database');
    Reflect.deleteProperty(store, 'write');
    await wrong(user.username);
    await flush();
    expect(await failed()).toMatchObject({ total: 2, nodes: [{ count: 2 }] });
  });

  test('of a deleted identity are gone with it, and stay in the number of the hour', async () => {
    const [gone, stays] = [
      await newUser(controller, unique('gone')),
      await newUser(controller, unique('stays')),
    ];
    for (const { username } of [gone, stays]) await wrong(username);
    await flush();
    // Counted, but not stored before the identity goes.
    await wrong(gone.username);
    await controller.read('mutation ($id: ID!) { deleteIdentity(id: $id) }', { id: gone.id });
    await flush();
    const { failedLogins, sessions } = await ask();
    expect(failedLogins).toMatchObject({ total: 1, nodes: [{ identityId: stays.id, count: 1 }] });
    expect(sessions.at(-1)).toMatchObject({ failedLogins: 3 });
    const rows = await controller.parts.store.query(
      sql<{ text: string }>`select f::text as text from failed_login f`,
    );
    expect(rows.map(({ text }) => text).join()).not.toContain(gone.id);
  });
});

describe('a limited login', () => {
  test('counts for the identity that it names', async () => {
    const limited = await InProcess.start(undefined, { now: clock.now, loginLimit: 1 });
    try {
      const user = await newUser(limited, 'limited');
      await wrong(user.username, limited);
      const refusal = await loginFrom(
        limited,
        { username: 'limited', password: 'x'.repeat(9) },
        '10.0.0.1',
      );
      expect(refusal).toMatchObject({ status: 429, retryAfter: 60 });
      await limited.parts.loginCounts.flush();
      const { overview } = await limited.read<{ overview: { failedLogins: Failed } }>(
        '{ overview { failedLogins { total groupCount nodes { refusal identityId } } } }',
      );
      const nodes = ['TOO_MANY_LOGINS', 'WRONG_PASSWORD'].map((each) => ({
        refusal: each,
        identityId: user.id,
      }));
      expect(
        [...overview.failedLogins.nodes].sort((a, b) => (a.refusal < b.refusal ? -1 : 1)),
      ).toEqual(nodes);
    } finally {
      await limited.stop();
    }
  });
});

describe('a flood of 10,000 usernames and addresses', () => {
  const attempt = (address: string, identityId = ''): LoginAttempt => ({
    at: clock.now(),
    requestId: 'r',
    method: 'password',
    address,
    refusal: identityId === '' ? 'UNKNOWN_USERNAME' : 'WRONG_PASSWORD',
    identityId,
    authenticatorId: '',
    signerId: '',
    authPolicyId: '',
    isChainImproper: false,
  });

  test('takes a bounded number of rows and few statements, and hides nobody', async () => {
    const victim = await newUser(controller, unique('victim'));
    const { loginCounts, database } = controller.parts;
    const before = database.statements;
    for (let i = 0; i < 10_000; i += 1) {
      loginCounts.apply(
        attempt(`10.${String(i >> 16)}.${String((i >> 8) & 255)}.${String(i & 255)}`),
      );
      // As if they came over some seconds.
      if (i % 2_000 === 1_999) await flush([controller]);
    }
    expect(database.statements - before).toBeLessThanOrEqual(5 * 6);
    await wrong(victim.username);
    await flush();
    const { failedLogins, sessions } = await ask();
    expect(failedLogins.total).toBe(10_001);
    // 60 addresses, the rest together, and the victim.
    expect(failedLogins.groupCount).toBe(62);
    expect(failedLogins.nodes[0]).toMatchObject({ owner: 'UNKNOWN', sender: null, count: 9_940 });
    expect(failedLogins.nodes.filter(({ identityId }) => identityId === victim.id)).toHaveLength(1);
    expect(sessions.at(-1)?.failedLogins).toBe(10_001);
  });
});

describe('hours', () => {
  test('begin at the full hour, and a login counts in its own', async () => {
    const user = await newUser(controller, unique('hour'));
    const hour = (ago: number): string =>
      new Date(Math.floor(clock.now().getTime() / HOUR) * HOUR - ago * HOUR).toISOString();
    clock.advance(30 * MINUTE - 1);
    await wrong(user.username);
    clock.advance(1);
    await wrong(user.username);
    await wrong(user.username);
    await flush();
    const { sessions } = await ask(3);
    expect(sessions.map((each) => [each.hour, each.failedLogins])).toEqual([
      [hour(2), 0],
      [hour(1), 1],
      [hour(0), 2],
    ]);
    expect((await failed(1)).total).toBe(2);
    expect((await failed(2)).total).toBe(3);
    clock.advance(HOUR - 1);
    expect((await failed(2)).total).toBe(3);
    clock.advance(1);
    expect((await failed(2)).total).toBe(2);
  });

  test.each([0, -1, 169])('%i of them can not be asked for', async (hours) => {
    const { data, errors } = await controller.graph(ASKED, { hours, first: 1 });
    expect(errors.map((error) => error?.code)).toEqual(Array(2).fill('COULD_NOT_VALIDATE'));
    expect(data).toEqual({ overview: { sessions: null, failedLogins: null } });
  });

  test('of a week are all there', async () => {
    const { sessions } = await ask(168);
    const times = sessions.map(({ hour }) => Date.parse(hour));
    expect(times).toHaveLength(168);
    expect(times.every((time, i) => i === 0 || time - (times[i - 1] ?? 0) === HOUR)).toBe(true);
  });

  test('are deleted when they are over for longer than they are kept, and not before', async () => {
    const user = await newUser(controller, unique('kept'));
    await wrong(user.username);
    await flush();
    const stored = async (): Promise<number[]> => {
      const { store } = controller.parts;
      const tables = [
        sql<{
          count: number;
        }>`select count(*)::int as count from failed_login where identity_id = ${user.id}::text`,
        sql<{
          count: number;
        }>`select count(*)::int as count from hourly_login where hour >= ${begin}::timestamptz`,
      ];
      const rows = await Promise.all(tables.map((each) => store.query(each)));
      return rows.map(([row]) => row?.count ?? 0);
    };
    const begin = new Date(clock.now().getTime() - 30 * MINUTE);
    // The hour ends in half an hour.
    clock.advance(30 * MINUTE + KEEP - 1);
    await other.parts.loginCounts.prune();
    expect(await stored()).toEqual([1, 1]);
    clock.advance(1);
    await other.parts.loginCounts.prune();
    expect(await stored()).toEqual([0, 0]);
  });
});

describe('sessions', () => {
  const countAll = async (): Promise<void> => {
    for (const each of [controller, other]) await each.parts.loginCounts.countSessions();
  };

  /** Transactions of other test files hold the log back, since they run on the same server. */
  const expectHour = (expected: Partial<Hour>): Promise<unknown> =>
    eventually(async () => {
      await countAll();
      expect((await ask(1)).sessions).toMatchObject([expected]);
    });

  test('are counted once, also when they have ended, at whichever controller', async () => {
    const user = await newUser(controller, unique('in'));
    const credentials = { username: user.username, password: user.password };
    const token = await tokenOf(controller, credentials);
    await login(other, credentials);
    const [row] = await controller.parts.store.query(
      sql<{ id: string }>`select id from api_session where token = ${token}::text`,
    );
    await controller.read('mutation ($id: ID!) { deleteApiSession(id: $id) }', { id: row?.id });
    await expectHour({ apiSessions: 2, failedLogins: 0 });
    await Promise.all([countAll(), countAll()]);
    await expectHour({ apiSessions: 2, failedLogins: 0 });
    clock.advance(HOUR);
    await expectHour({ apiSessions: 0 });
  });

  test('for services are counted apart, and once', async () => {
    const dialler = await dialling(controller);
    const first = await open(controller, dialler);
    // The same session.
    expect((await open(controller, dialler)).id).toBe(first.id);
    await expectHour({ apiSessions: 1, sessions: 1 });
  });
});
