import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { unique } from './client.js';
import { inSession, loginFrom, MINUTE, newUser, TestClock, tokenOf } from './in-process-logins.js';
import { newHolder, PROVE, sendCode, VERIFY } from './in-process-mfa.js';
import { oneTimeCode, wrongCode } from './one-time-code.js';

/*
 * The limit of guesses when they come at once, from many addresses, at two controllers; and that
 * strangers bar nobody from where they logged in before. The clock stands still.
 */

const LIMIT = 5;
const DAY = 24 * 60 * MINUTE;
const REFUSED = 'SERVER_TOO_MANY_REQUESTS';
const WRONG = 'INVALID_AUTH';
const clock = new TestClock();

let two: TwoInProcess;
let controller: InProcess;
let other: InProcess;
let user: { id: string; authenticatorId: string; username: string; password: string };

beforeAll(async () => {
  const options = { now: clock.now, loginLimit: LIMIT };
  two = await startTwo(options);
  ({ controller, other } = two);
});
afterAll(() => two.stop());
beforeEach(async () => {
  clock.advance(10 * MINUTE);
  user = await newUser(controller, unique('guessed'));
});

let last = 0;
/** An address that nobody has come from. */
const newAddress = (): string => {
  last += 1;
  return `10.0.${String(last >> 8)}.${String(last & 255)}`;
};

const attempt = async (
  username: string,
  password: string,
  from = newAddress(),
  on = controller,
): Promise<string | undefined> => (await loginFrom(on, { username, password }, from))?.code;

/** How often each outcome came. */
const tally = (outcomes: readonly unknown[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes.map(String)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

const times = <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

const at = (i: number): InProcess => (i % 2 === 0 ? controller : other);

const fail = async (count: number, username: string, from?: string): Promise<void> => {
  for (let i = 0; i < count; i += 1) {
    await expect(attempt(username, 'wrong one', from ?? newAddress())).resolves.toBe(WRONG);
  }
};

describe('guesses that come at once', () => {
  test.each([
    ['of a username', () => user.username],
    ['of a username that nobody has', () => unique('nobody')],
  ])('%s are as many as the limit, from whichever addresses', async (_, nameOf) => {
    const username = nameOf();
    const outcomes = await times(4 * LIMIT, (i) =>
      attempt(username, `wrong one ${String(i)}`, newAddress(), at(i)),
    );
    expect(tally(outcomes)).toEqual({ [WRONG]: LIMIT, [REFUSED]: 3 * LIMIT });
    await expect(attempt(username, user.password)).resolves.toBe(REFUSED);
  });

  test('of an address are as many as the limit, whatever the usernames', async () => {
    const from = newAddress();
    const outcomes = await times(4 * LIMIT, (i) =>
      attempt(`somebody ${String(i)}`, 'wrong one', from, at(i)),
    );
    expect(tally(outcomes)).toEqual({ [WRONG]: LIMIT, [REFUSED]: 3 * LIMIT });
  });

  test('do not bring a right one through after the limit', async () => {
    const guesses = [...Array<string>(3 * LIMIT).fill('wrong one'), user.password];
    const outcomes = await times(guesses.length, (i) => attempt(user.username, guesses[i] ?? ''));
    expect(outcomes.at(-1)).toBe(REFUSED);
  });

  test('are no guesses when they are right: all get in', async () => {
    const from = newAddress();
    const outcomes = await times(4 * LIMIT, (i) =>
      attempt(user.username, user.password, from, at(i)),
    );
    expect(tally(outcomes)).toEqual({ undefined: 4 * LIMIT });
    await fail(LIMIT, user.username, newAddress());
  });

  test('of one-time codes are as many as the limit, and a right one comes too late', async () => {
    const { secret, token } = await newHolder(controller);
    await sendCode(controller, token, VERIFY, oneTimeCode(secret, clock.now()));
    clock.advance(MINUTE);
    const wrong = wrongCode(secret, clock.now());
    const outcomes = await times(4 * LIMIT, (i) => sendCode(at(i), token, PROVE, wrong));
    expect(tally(outcomes)).toEqual({ MFA_INVALID_TOKEN: LIMIT, [REFUSED]: 3 * LIMIT });
    const right = oneTimeCode(secret, clock.now());
    await expect(sendCode(controller, token, PROVE, right)).resolves.toBe(REFUSED);
  });

  test('of the own password are as many as the limit', async () => {
    const token = await tokenOf(controller, { ...user });
    const outcomes = await times(3 * LIMIT, async (i) => {
      const { errors } = await at(i).graph(
        'mutation ($id: ID!, $input: OwnAuthenticatorInput!) { updateCurrentAuthenticator(id: $id, input: $input) { id } }',
        { id: user.authenticatorId, input: { currentPassword: 'wrong one', tags: {} } },
        await inSession(at(i), token),
      );
      return errors[0]?.code;
    });
    expect(tally(outcomes)).toEqual({ UNAUTHORIZED: LIMIT, [REFUSED]: 2 * LIMIT });
  });
});

describe('an attempt whose controller broke off', () => {
  test('counts until the minute is over, and no longer', async () => {
    const key = `username:${user.username}`;
    const resets = new Date(clock.now().getTime() + MINUTE);
    await controller.parts.store.query(
      sql`insert into login_counter (key, failures, pending, resets_at)
        values (${key}::text, 0, ${LIMIT}::int, ${resets}::timestamptz)`,
    );
    await expect(attempt(user.username, user.password)).resolves.toBe(REFUSED);
    clock.advance(MINUTE);
    await expect(attempt(user.username, user.password)).resolves.toBeUndefined();
  });
});

describe('failures of strangers', () => {
  test('do not bar a username from where it logged in before', async () => {
    const home = newAddress();
    await expect(attempt(user.username, user.password, home)).resolves.toBeUndefined();
    await fail(LIMIT, user.username);
    await expect(attempt(user.username, user.password)).resolves.toBe(REFUSED);
    await expect(attempt(user.username, user.password, home)).resolves.toBeUndefined();
    await expect(attempt(user.username, user.password, home, other)).resolves.toBeUndefined();
  });

  test('are not joined by those from there, which are limited as well', async () => {
    const home = newAddress();
    await expect(attempt(user.username, user.password, home)).resolves.toBeUndefined();
    await fail(LIMIT, user.username, home);
    await expect(attempt(user.username, user.password, home)).resolves.toBe(REFUSED);
    await expect(attempt(user.username, user.password)).resolves.toBeUndefined();
  });

  test('bar all alike: the refusal tells no right password, and no username', async () => {
    const nobody = unique('nobody');
    for (const username of [user.username, nobody]) await fail(LIMIT, username);
    clock.advance(10_000);
    const refusals = await Promise.all(
      [
        [user.username, user.password],
        [user.username, 'wrong one'],
        [nobody, 'wrong one'],
      ].map(([username, password]) => loginFrom(controller, { username, password }, newAddress())),
    );
    const shown = refusals.map((e) => [e?.code, e?.status, e?.message, e?.retryAfter, e?.detail]);
    expect(shown[0]).toMatchObject([REFUSED, 429, expect.any(String), 50, undefined]);
    expect(new Set(shown.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  });

  test('do bar it where it logged in long ago, or before many others', async () => {
    const [home, inn] = [newAddress(), newAddress()];
    for (const from of [home, inn]) await attempt(user.username, user.password, from);
    clock.advance(20 * DAY);
    await attempt(user.username, user.password, home);
    clock.advance(20 * DAY);
    await fail(LIMIT, user.username);
    await expect(attempt(user.username, user.password, inn)).resolves.toBe(REFUSED);
    await expect(attempt(user.username, user.password, home)).resolves.toBeUndefined();
    clock.advance(MINUTE);
    await controller.parts.store.query(
      sql`insert into authenticator_sender (authenticator_id, sender, last_login_at)
        select ${user.authenticatorId}::text, 'place ' || i, ${clock.now()}::timestamptz from generate_series(1, 60) i`,
    );
    await expect(attempt(user.username, user.password)).resolves.toBeUndefined();
    const [kept] = await controller.parts.store.query(
      sql`select count(*)::int as n from authenticator_sender where authenticator_id = ${user.authenticatorId}::text`,
    );
    expect(kept).toEqual({ n: 50 });
  });
});

describe('IPv6 addresses', () => {
  const host = (network: string, i: number): string => `2001:db8:0:${network}::${String(i + 1)}`;

  test('of one network count together', async () => {
    const outcomes = await times(2 * LIMIT, (i) =>
      attempt(`somebody ${String(i)}`, 'wrong one', host('a', i)),
    );
    expect(tally(outcomes)).toEqual({ [WRONG]: LIMIT, [REFUSED]: LIMIT });
    await expect(attempt(user.username, user.password, host('b', 1))).resolves.toBeUndefined();
  });

  test('of a network that logged in are no strangers', async () => {
    await expect(attempt(user.username, user.password, host('c', 1))).resolves.toBeUndefined();
    await fail(LIMIT, user.username);
    await expect(attempt(user.username, user.password, host('c', 2))).resolves.toBeUndefined();
    await expect(attempt(user.username, user.password, host('d', 1))).resolves.toBe(REFUSED);
  });
});
