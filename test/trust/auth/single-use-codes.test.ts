import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { MINUTE, TestClock, tokenOf } from './in-process-logins.js';
import {
  beginFactor,
  newHolder,
  PROVE,
  REMOVE,
  RENEW,
  sendCode,
  VERIFY,
  VIEW,
  type Holder,
} from './in-process-mfa.js';
import { oneTimeCode } from './one-time-code.js';

/*
 * A code is good for one thing, once: whatever it is used for, on whichever controller. The clock
 * stands still, so that a code stays a code of now.
 */

const REFUSED = 'MFA_INVALID_TOKEN';
const clock = new TestClock();

let two: TwoInProcess;
let controller: InProcess;
let other: InProcess;
let holder: Holder;

beforeAll(async () => {
  two = await startTwo({ now: clock.now });
  ({ controller, other } = two);
});
afterAll(() => two.stop());

const codeOfNow = (): string => oneTimeCode(holder.secret, clock.now());
const send = (operation: string, code: string, on = controller): Promise<string | true> =>
  sendCode(on, holder.token, operation, code);

const USES = [
  ['logs in', PROVE],
  ['shows recovery codes', VIEW],
  ['renews recovery codes', RENEW],
  ['removes the factor', REMOVE],
] as const;

beforeEach(async () => {
  clock.advance(10 * MINUTE);
  holder = await newHolder(controller);
});

describe('a one-time code that confirmed the set-up', () => {
  test.each(USES)('neither %s nor does an earlier one, and the next one does', async (_, use) => {
    const code = codeOfNow();
    await expect(send(VERIFY, code)).resolves.toBe(true);
    await expect(send(use, code)).resolves.toBe(REFUSED);
    await expect(send(use, code, other)).resolves.toBe(REFUSED);
    await expect(send(use, oneTimeCode(holder.secret, clock.now(), -1))).resolves.toBe(REFUSED);
    await expect(send(use, oneTimeCode(holder.secret, clock.now(), 1))).resolves.toBe(true);
  });

  test('does not log another session in', async () => {
    const code = codeOfNow();
    await expect(send(VERIFY, code)).resolves.toBe(true);
    const token = await tokenOf(controller, { ...holder });
    await expect(sendCode(controller, token, PROVE, code)).resolves.toBe(REFUSED);
  });
});

const PAIRS = USES.filter(([, first]) => first !== REMOVE).flatMap(([first, operation]) =>
  USES.map(([second, next]) => [first, second, operation, next] as const),
);

describe('a code of a completed factor', () => {
  beforeEach(async () => {
    await expect(send(VERIFY, codeOfNow())).resolves.toBe(true);
    clock.advance(10 * MINUTE);
  });

  test.each(PAIRS)('that %s no longer %s', async (_first, _second, operation, next) => {
    const code = codeOfNow();
    await expect(send(operation, code)).resolves.toBe(true);
    await expect(send(next, code, other)).resolves.toBe(REFUSED);
  });

  test('counts once when it comes for everything at once, at two controllers', async () => {
    const code = codeOfNow();
    const uses = [PROVE, VIEW, RENEW, PROVE, VIEW, RENEW];
    const answers = await Promise.all(
      uses.map((use, i) => send(use, code, i % 2 === 0 ? controller : other)),
    );
    expect(answers.filter((answer) => answer === true)).toHaveLength(1);
    expect(new Set(answers)).toEqual(new Set([true, REFUSED]));
  });

  test('is not used up by an operation that it is not for', async () => {
    const pending = await newHolder(controller);
    const code = oneTimeCode(pending.secret, clock.now());
    await expect(sendCode(controller, pending.token, VIEW, code)).resolves.toBe('NOT_FOUND');
    await expect(sendCode(controller, pending.token, VERIFY, code)).resolves.toBe(true);
  });

  test.each([
    ['logged in', PROVE],
    ['renewed the others', RENEW],
  ])('which is a recovery code that %s is used up', async (_, operation) => {
    const [code = ''] = holder.recoveryCodes;
    await expect(send(operation, code)).resolves.toBe(true);
    for (const [, use] of USES) await expect(send(use, code, other)).resolves.toBe(REFUSED);
  });
});

describe('a factor that takes the place of another', () => {
  test('is confirmed by its own code of the same moment, and not by one of the other', async () => {
    await expect(send(VERIFY, oneTimeCode(holder.secret, clock.now(), 1))).resolves.toBe(true);
    await expect(send(REMOVE, oneTimeCode(holder.secret, clock.now(), 2))).resolves.toBe(true);
    const { secret } = await beginFactor(controller, holder.token);
    await expect(send(VERIFY, codeOfNow())).resolves.toBe(REFUSED);
    await expect(send(VERIFY, oneTimeCode(secret, clock.now(), -1))).resolves.toBe(true);
    await expect(send(PROVE, oneTimeCode(secret, clock.now()))).resolves.toBe(true);
  });
});
