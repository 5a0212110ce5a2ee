import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { inSession, MINUTE, TestClock, tokenOf } from './in-process-logins.js';
import {
  newHolder,
  PROVE,
  REMOVE,
  RENEW,
  sendCode,
  VERIFY,
  VIEW,
  type Holder,
} from './in-process-mfa.js';
import { oneTimeCode, wrongCode } from './one-time-code.js';

/* One-time codes as time goes by, on two controllers with one database and a clock of our own. */

const STEP = 30_000;
const LIMIT = 4;
const clock = new TestClock();

let two: TwoInProcess;
let controller: InProcess;
let other: InProcess;
let user: Holder;
let secret: string;

beforeAll(async () => {
  const options = { now: clock.now, loginLimit: LIMIT };
  two = await startTwo(options);
  ({ controller, other } = two);
});
afterAll(() => two.stop());
beforeEach(async () => {
  user = await newHolder(controller);
  ({ secret } = user);
  await sendCode(controller, user.token, VERIFY, oneTimeCode(secret, clock.now()));
  clock.advance(10 * MINUTE);
});

/** Tries a code with a new session: true, or the code of the refusal. */
const prove = async (code: string, on = controller): Promise<string | true> =>
  sendCode(on, await tokenOf(on, { ...user }), PROVE, code);

describe('a one-time code', () => {
  test.each([-3, -2, -1, 0, 1, 2, 3])(
    'of step %d counts within two steps of now',
    async (drift) => {
      const expected = Math.abs(drift) <= 2 ? true : 'MFA_INVALID_TOKEN';
      await expect(prove(oneTimeCode(secret, clock.now(), drift))).resolves.toBe(expected);
    },
  );

  test('counts once, on whichever controller', async () => {
    const code = oneTimeCode(secret, clock.now());
    await expect(prove(code)).resolves.toBe(true);
    await expect(prove(code, other)).resolves.toBe('MFA_INVALID_TOKEN');
    clock.advance(STEP);
    await expect(prove(code)).resolves.toBe('MFA_INVALID_TOKEN');
    await expect(prove(oneTimeCode(secret, clock.now()), other)).resolves.toBe(true);
  });

  test('of an earlier step does not count after a later one', async () => {
    await expect(prove(oneTimeCode(secret, clock.now(), 1))).resolves.toBe(true);
    await expect(prove(oneTimeCode(secret, clock.now()))).resolves.toBe('MFA_INVALID_TOKEN');
    await expect(prove(oneTimeCode(secret, clock.now(), 2))).resolves.toBe(true);
  });
});

describe('wrong codes', () => {
  const exhaust = async (): Promise<void> => {
    for (let i = 0; i < LIMIT; i += 1) {
      await expect(prove(wrongCode(secret, clock.now()))).resolves.toBe('MFA_INVALID_TOKEN');
    }
  };

  test('are limited, and with them right ones, until the minute is over', async () => {
    await exhaust();
    const right = oneTimeCode(secret, clock.now());
    await expect(prove(right)).resolves.toBe('SERVER_TOO_MANY_REQUESTS');
    await expect(prove(right, other)).resolves.toBe('SERVER_TOO_MANY_REQUESTS');
    clock.advance(MINUTE);
    await expect(prove(oneTimeCode(secret, clock.now()))).resolves.toBe(true);
  });

  test.each([REMOVE, VIEW, RENEW, PROVE])('of %s count for all', async (text) => {
    const token = await tokenOf(controller, { ...user });
    const ctx = () => inSession(controller, token);
    await controller.read(PROVE, { code: oneTimeCode(secret, clock.now()) }, await ctx());
    for (let i = 0; i < LIMIT; i += 1) {
      const { errors } = await controller.graph(
        text,
        { code: wrongCode(secret, clock.now()) },
        await ctx(),
      );
      expect(errors.map((e) => e?.code)).toEqual(['MFA_INVALID_TOKEN']);
    }
    const { errors } = await controller.graph(
      text,
      { code: oneTimeCode(secret, clock.now(), 1) },
      await ctx(),
    );
    expect(errors[0]?.code).toBe('SERVER_TOO_MANY_REQUESTS');
    expect(errors[0]?.retryAfter).toBe(60);
  });

  test('of one identity do not count for another', async () => {
    await exhaust();
    const token = await tokenOf(controller);
    const { errors } = await controller.graph(
      PROVE,
      { code: '000000' },
      await inSession(controller, token),
    );
    expect(errors.map((e) => e?.code)).toEqual(['MFA_NOT_ENROLLED']);
  });
});
