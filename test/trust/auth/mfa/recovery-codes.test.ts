import { describe, expect, it, test } from '@jest/globals';
import { newRecoveryCodes, spendRecoveryCode } from '../../../../src/trust/auth/mfa/index.js';

describe('recovery codes', () => {
  it('are twenty different ones of six base32 characters, none like a one-time code', () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(20);
    for (const code of codes) {
      expect(code).toMatch(/^[A-Z2-7]{6}$/);
      expect(code).toMatch(/[A-Z]/);
    }
    expect(newRecoveryCodes()).not.toEqual(codes);
  });

  it('serve once each', () => {
    let codes: readonly string[] = newRecoveryCodes();
    for (const [used, code] of codes.entries()) {
      const remaining = spendRecoveryCode(codes, code) ?? [];
      expect(remaining).toEqual(codes.slice(1));
      expect(remaining).toHaveLength(19 - used);
      expect(spendRecoveryCode(remaining, code)).toBeUndefined();
      codes = remaining;
    }
    expect(spendRecoveryCode([], 'ABCDEF')).toBeUndefined();
  });

  test.each([
    '',
    'abcdef',
    'ABCDE',
    'ABCDEFG',
    ' ABCDEF',
    'ABCDEF\n',
    'ABCDE0',
    'ÄBCDEF',
    'GHIJKL',
  ])('are not %j', (given) => {
    expect(spendRecoveryCode(['ABCDEF', '234567'], given)).toBeUndefined();
  });
});
