import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../../../../src/base/errors.js';
import { checkPassword } from '../../../../src/trust/auth/rules/index.js';
import { refusal } from '../../../support/refusal.js';

const lax = {
  minPasswordLength: 0,
  requireMixedCase: false,
  requireNumberChar: false,
  requireSpecialChar: false,
};

describe('a password', () => {
  test.each<[Partial<typeof lax>, string, string]>([
    [{}, 'abcd', 'at least 5'],
    [{}, 'abcde', 'sound'],
    [{}, 'x'.repeat(100), 'sound'],
    [{}, 'x'.repeat(101), 'at most 100'],
    [{ minPasswordLength: 8 }, '1234567', 'at least 8'],
    [{ minPasswordLength: 8 }, '🔒'.repeat(8), 'sound'],
    [{ minPasswordLength: 500 }, 'x'.repeat(100), 'sound'],
    [{ requireMixedCase: true }, 'ABCDE', 'lower-case'],
    [{ requireMixedCase: true }, 'abcde', 'upper-case'],
    [{ requireMixedCase: true }, 'Абвгд', 'sound'],
    [{ requireNumberChar: true }, 'abcde', 'digit'],
    [{ requireNumberChar: true }, 'abcd1', 'sound'],
    [{ requireSpecialChar: true }, 'abc 1', 'special'],
    [{ requireSpecialChar: true }, 'abcd$', 'sound'],
    [{ requireSpecialChar: true }, 'abcd-', 'sound'],
  ])('under %j, %s: %s', (rules, password, verdict) => {
    const refused = refusal(checkPassword, { ...lax, ...rules }, password);
    expect(refused ?? { field: 'password', reason: 'sound' }).toEqual({
      field: 'password',
      reason: expect.stringContaining(verdict),
    });
  });

  test('is not repeated by its refusal', () => {
    expect.assertions(1);
    try {
      checkPassword(lax, 'abc');
    } catch (error) {
      expect(JSON.stringify(error instanceof ApiError && error.detail)).not.toContain('abc');
    }
  });
});
