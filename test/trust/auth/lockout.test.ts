import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { countFailure } from '../../../src/trust/auth/lockout.js';
import type { Row } from '../../../src/base/row.js';
import { InProcess } from '../../support/in-process.js';
import { authPolicy, unique } from './client.js';
import {
  inSession,
  login,
  loginFrom,
  MINUTE,
  newUser,
  TestClock,
  tokenOf,
} from './in-process-logins.js';

/* Failures in a row, and identities that are disabled for a time. */

const clock = new TestClock();
let controller: InProcess;
/** On the same database: what a controller would know after a restart. */
let restarted: InProcess;

beforeAll(async () => {
  controller = await InProcess.start(undefined, { now: clock.now });
  restarted = await InProcess.start(controller, { now: clock.now });
});
afterAll(async () => {
  await restarted.stop();
  await controller.stop();
});

interface User {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}

const underPolicy = async (updb: Row): Promise<User> => {
  const authPolicyId = await controller.create('AuthPolicy', authPolicy({ updb }));
  return newUser(controller, unique('locked'), { authPolicyId });
};

const right = async ({ username, password }: User, on = controller): Promise<boolean> =>
  typeof (await login(on, { username, password })) !== 'string';

async function wrong({ username }: User, times = 1, on = controller): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    await expect(login(on, { username, password: 'wrong one' })).resolves.toBe('INVALID_AUTH');
  }
}

const stateOf = async ({ id }: User): Promise<Row> => {
  const text = 'query ($id: ID!) { identity(id: $id) { disabled disabledAt disabledUntil } }';
  return (await controller.read<{ identity: Row }>(text, { id })).identity;
};

const ENABLED = { disabled: false, disabledAt: null, disabledUntil: null };
const lockedFor = (minutes: number): Row => ({
  disabled: true,
  disabledAt: clock.now().toISOString(),
  disabledUntil: new Date(clock.now().getTime() + minutes * MINUTE).toISOString(),
});

describe('maxAttempts', () => {
  let user: User;

  beforeEach(async () => {
    user = await underPolicy({ maxAttempts: 3, lockoutDurationMinutes: 10 });
  });

  test('lets so many failures but one pass', async () => {
    await wrong(user, 2);
    await expect(right(user)).resolves.toBe(true);
    await expect(stateOf(user)).resolves.toEqual(ENABLED);
  });

  test('disables the identity with the last failure, for the time of the policy', async () => {
    await wrong(user, 3);
    await expect(stateOf(user)).resolves.toEqual(lockedFor(10));
    await expect(right(user)).resolves.toBe(false);
  });

  test('lets in again when the time is over, and not before', async () => {
    await wrong(user, 3);
    clock.advance(10 * MINUTE - 1);
    await expect(right(user)).resolves.toBe(false);
    clock.advance(1);
    await expect(right(user)).resolves.toBe(true);
    await expect(stateOf(user)).resolves.toMatchObject({ disabled: false });
  });

  test('counts anew after a lockout', async () => {
    await wrong(user, 3);
    clock.advance(10 * MINUTE);
    await wrong(user, 2);
    await expect(right(user)).resolves.toBe(true);
  });

  test('counts failures in a row only', async () => {
    await wrong(user, 2);
    await expect(right(user)).resolves.toBe(true);
    await wrong(user, 2);
    await expect(right(user)).resolves.toBe(true);
  });

  test('counts on over a restart', async () => {
    await wrong(user, 2);
    await wrong(user, 1, restarted);
    await expect(stateOf(user)).resolves.toEqual(lockedFor(10));
    await expect(right(user, restarted)).resolves.toBe(false);
  });

  test('counts failures that come at once', async () => {
    await Promise.all([1, 2, 3, 4, 5].map(() => wrong(user)));
    await expect(stateOf(user)).resolves.toEqual(lockedFor(10));
  });

  test('ends the sessions of the identity', async () => {
    const token = await tokenOf(controller, { ...user });
    expect((await inSession(controller, token)).caller).toBeDefined();
    await wrong(user, 3);
    expect((await inSession(controller, token)).caller).toBeUndefined();
  });

  test('does not prolong a lockout by further failures', async () => {
    await wrong(user, 3);
    const locked = await stateOf(user);
    clock.advance(5 * MINUTE);
    await wrong(user, 5);
    await expect(stateOf(user)).resolves.toEqual(locked);
  });

  test('passes over a failure of an authenticator that was deleted meanwhile', async () => {
    const deleted = { id: 'deleted', identityId: user.id, isStranger: false };
    const rules = { maxAttempts: 1, lockoutDurationMinutes: 0 };
    await countFailure(controller.anonymous(), deleted, rules);
    await expect(stateOf(user)).resolves.toEqual(ENABLED);
  });

  test('never puts an end to what an administrator disabled for good', async () => {
    await controller.read(DISABLE, { id: user.id, minutes: 0 });
    await wrong(user, 4);
    clock.advance(60 * MINUTE);
    await expect(right(user)).resolves.toBe(false);
    await expect(stateOf(user)).resolves.toMatchObject({ disabled: true, disabledUntil: null });
  });
});

const DISABLE = `mutation ($id: ID!, $minutes: Int!) {
  disableIdentity(id: $id, durationMinutes: $minutes) { disabled disabledAt disabledUntil } }`;
const ENABLE = `mutation ($id: ID!) { enableIdentity(id: $id) { disabled disabledAt disabledUntil } }`;

describe('failures from where the user never logged in', () => {
  const HOME = '192.0.2.1';
  const from = async (address: string, { username, password }: User): Promise<boolean> =>
    (await loginFrom(controller, { username, password }, address)) === undefined;
  const guess = async ({ username }: User, address: string, times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      const refusal = await loginFrom(controller, { username, password: 'wrong one' }, address);
      expect(refusal?.code).toBe('INVALID_AUTH');
    }
  };

  const atHome = async (lockoutDurationMinutes = 10): Promise<User> => {
    const user = await underPolicy({ maxAttempts: 3, lockoutDurationMinutes });
    await expect(from(HOME, user)).resolves.toBe(true);
    return user;
  };

  test('lock out there, for the time of the policy, and disable nobody', async () => {
    const user = await atHome();
    await guess(user, '192.0.2.2', 2);
    await guess(user, '192.0.2.3', 1);
    await expect(stateOf(user)).resolves.toEqual(ENABLED);
    await expect(from('192.0.2.4', user)).resolves.toBe(false);
    await expect(from(HOME, user)).resolves.toBe(true);
    clock.advance(10 * MINUTE - 1);
    await expect(from('192.0.2.4', user)).resolves.toBe(false);
    clock.advance(1);
    await expect(from('192.0.2.4', user)).resolves.toBe(true);
  });

  test('end no session', async () => {
    const user = await atHome();
    const token = await tokenOf(controller, { ...user });
    await guess(user, '192.0.2.2', 5);
    expect((await inSession(controller, token)).caller?.identityId).toBe(user.id);
  });

  test('are not forgotten by a login from where it did', async () => {
    const user = await atHome();
    await guess(user, '192.0.2.2', 2);
    await expect(from(HOME, user)).resolves.toBe(true);
    await guess(user, '192.0.2.2', 1);
    await expect(from('192.0.2.2', user)).resolves.toBe(false);
  });

  test('lock out for good under such a policy, until somebody enables', async () => {
    const user = await atHome(0);
    await guess(user, '192.0.2.2', 3);
    clock.advance(1_000_000 * MINUTE);
    // By now it is no stranger's place, but nobody's: the last login was too long ago.
    await expect(from(HOME, user)).resolves.toBe(true);
    await expect(from('192.0.2.2', user)).resolves.toBe(false);
    await controller.read(ENABLE, { id: user.id });
    await expect(from('192.0.2.2', user)).resolves.toBe(true);
  });

  test('do disable, like any, when they come from where it did', async () => {
    const user = await atHome();
    await guess(user, HOME, 3);
    await expect(stateOf(user)).resolves.toEqual(lockedFor(10));
    await expect(from(HOME, user)).resolves.toBe(false);
  });
});

describe('other policies', () => {
  test('with maxAttempts 0 never lock', async () => {
    const user = await underPolicy({ maxAttempts: 0, lockoutDurationMinutes: 10 });
    await wrong(user, 6);
    await expect(right(user)).resolves.toBe(true);
  });

  test('with lockoutDurationMinutes 0 lock until somebody enables', async () => {
    const user = await underPolicy({ maxAttempts: 1, lockoutDurationMinutes: 0 });
    await wrong(user);
    clock.advance(1_000_000 * MINUTE);
    await expect(right(user)).resolves.toBe(false);
    await expect(controller.read(ENABLE, { id: user.id })).resolves.toEqual({
      enableIdentity: ENABLED,
    });
    await expect(right(user)).resolves.toBe(true);
  });

  test('that forbid passwords lock nobody out of other methods', async () => {
    const user = await underPolicy({ allowed: false, maxAttempts: 1 });
    await wrong(user, 2);
    await expect(right(user)).resolves.toBe(false);
    await expect(stateOf(user)).resolves.toEqual(ENABLED);
  });
});

describe('disableIdentity', () => {
  test.each([
    [5, true],
    [0, false],
    [-1, false],
  ])('for %d minutes ends by itself: %s', async (minutes, endsByItself) => {
    const user = await newUser(controller, unique('disabled'));
    const token = await tokenOf(controller, { ...user });
    const expected = endsByItself ? lockedFor(minutes) : { ...lockedFor(0), disabledUntil: null };
    await expect(controller.read(DISABLE, { id: user.id, minutes })).resolves.toEqual({
      disableIdentity: expected,
    });
    expect((await inSession(controller, token)).caller).toBeUndefined();
    await expect(right(user)).resolves.toBe(false);
    clock.advance(5 * MINUTE);
    await expect(right(user)).resolves.toBe(endsByItself);
    // A session that ended stays ended.
    expect((await inSession(controller, token)).caller).toBeUndefined();
  });
});
