import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../src/base/sql.js';
import { originOf } from '../../src/kernel/write/write.js';
import { Leases } from '../../src/data/store/leases.js';
import { unique } from '../trust/auth/client.js';
import {
  inSession,
  login,
  MINUTE,
  newUser,
  TestClock,
  tokenOf,
} from '../trust/auth/in-process-logins.js';
import { oneTimeCode, secretIn } from '../trust/auth/one-time-code.js';
import type { InProcess } from '../support/in-process.js';
import { startTwo, type TwoInProcess } from '../support/two-in-process.js';

/** The clock of a controller is set back by an hour. */

const HOUR = 60 * MINUTE;
const TIMEOUT = 30 * MINUTE;
const clock = new TestClock();

let two: TwoInProcess;
let controller: InProcess;
/** On the same database, with a right clock of its own. */
let other: InProcess;

beforeAll(async () => {
  const options = { sessionTimeoutMs: TIMEOUT, loginLimit: 3 };
  two = await startTwo({ ...options, now: clock.now }, options);
  ({ controller, other } = two);
});
afterAll(() => two.stop());
beforeEach(() => {
  clock.advance(10 * HOUR);
});

const setBack = (): void => {
  clock.advance(-HOUR);
};

const isAlive = async (token: string): Promise<boolean> =>
  (await inSession(controller, token)).caller !== undefined;

const expire = (): Promise<void> => {
  const ctx = controller.anonymous();
  return controller.parts.sessions.expire(ctx, originOf(ctx));
};

const isStored = async (token: string): Promise<boolean> =>
  (await controller.parts.store.query(sql`select id from api_session where token = ${token}::text`))
    .length > 0;

describe('an API session', () => {
  test('that nobody uses ends after its timeout all the same', async () => {
    const token = await tokenOf(controller);
    setBack();
    await expire();
    clock.advance(TIMEOUT * 1.1 + 1);
    await expire();
    expect(await isStored(token)).toBe(false);
  });

  test('that is used goes on', async () => {
    const token = await tokenOf(controller);
    setBack();
    for (let i = 0; i < 4; i += 1) {
      expect(await isAlive(token)).toBe(true);
      await controller.parts.sessions.flush();
      await expire();
      clock.advance(TIMEOUT - 1);
    }
    expect(await isAlive(token)).toBe(true);
  });

  test('that is used is ended by nobody while what was seen of it is not stored', async () => {
    const token = await tokenOf(controller);
    setBack();
    await expire();
    clock.advance(TIMEOUT - 1);
    expect(await isAlive(token)).toBe(true);
    await controller.parts.sessions.flush();
    clock.advance(TIMEOUT - 1);
    await expire();
    expect(await isAlive(token)).toBe(true);
  });
});

describe('ids of sessions', () => {
  test('sort in the order in which they were made', async () => {
    const user = await newUser(controller, unique('sorted'));
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      ids.push((await controller.openSession(user.id)).id);
      setBack();
    }
    expect(ids).toStrictEqual([...ids].sort());
  });
});

describe('a one-time code', () => {
  test('that was used is not good again', async () => {
    const user = await newUser(controller, unique('holder'));
    const credentials = { username: user.username, password: user.password };
    const enrolling = await tokenOf(controller, credentials);
    const own = () => inSession(controller, enrolling);
    await controller.read('mutation { createCurrentMfa }', {}, await own());
    const { currentMfa } = await controller.read<{ currentMfa: { provisioningUrl: string } }>(
      '{ currentMfa { provisioningUrl } }',
      {},
      await own(),
    );
    const secret = secretIn(currentMfa.provisioningUrl);
    await controller.read(
      'mutation ($code: String!) { verifyCurrentMfa(code: $code) }',
      { code: oneTimeCode(secret, clock.now()) },
      await own(),
    );
    clock.advance(10 * MINUTE);
    const prove = async (code: string): Promise<string | undefined> => {
      const ctx = await inSession(controller, await tokenOf(controller, credentials));
      const PROVE = 'mutation ($code: String!) { authenticateMfa(code: $code) }';
      return (await controller.graph(PROVE, { code }, ctx)).errors[0]?.code;
    };
    const code = oneTimeCode(secret, clock.now());
    expect(await prove(code)).toBeUndefined();
    const earlier = oneTimeCode(secret, new Date(clock.now().getTime() - HOUR));
    setBack();
    expect(await prove(code)).toBe('MFA_INVALID_TOKEN');
    expect(await prove(earlier)).toBe('MFA_INVALID_TOKEN');
    clock.advance(HOUR + MINUTE);
    expect(await prove(oneTimeCode(secret, clock.now()))).toBeUndefined();
  });
});

describe('the limit of failed logins', () => {
  test('bars nobody for longer than its minute', async () => {
    const user = await newUser(controller, unique('barred'));
    const wrong = { username: user.username, password: 'wrong one' };
    for (let i = 0; i < 3; i += 1) await login(controller, wrong);
    expect(await login(controller, user)).toBe('SERVER_TOO_MANY_REQUESTS');
    setBack();
    expect(typeof (await login(controller, { ...user }))).toBe('object');
  });
});

describe('a lease', () => {
  test('is held and lapses by the clock of the database', async () => {
    const first = new Leases(controller.parts.store, () => undefined);
    const second = new Leases(other.parts.store, () => undefined);
    const did: string[] = [];
    const work = (name: string) => () => {
      did.push(name);
      return Promise.resolve();
    };
    await first.alone('clock', work('first'));
    setBack();
    await second.alone('clock', work('second'));
    await first.alone('clock', work('first'));
    expect(did).toStrictEqual(['first', 'first']);
  });
});
