import { describe, expect, it, test } from '@jest/globals';
import { defaultAuthPolicy, normaliseAuthPolicy } from '../../../../src/trust/auth/rules/index.js';
import { refusal } from '../../../support/refusal.js';

const { primary, secondary } = defaultAuthPolicy;
const { cert, extJwt, updb } = primary;

const current = {
  primary: {
    cert: { allowed: false, allowExpiredCerts: true },
    extJwt: { allowed: true, allowedSigners: ['a', 'b'] },
    updb: { ...updb, minPasswordLength: 9, maxAttempts: 3, requireMixedCase: true },
  },
  secondary: { requireTotp: true, requireExtJwtSigner: 's' },
};

describe('the default auth policy', () => {
  it('lets everybody in who can show something', () => {
    expect(defaultAuthPolicy).toEqual({
      id: 'default',
      name: 'Default',
      primary: {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: {
          allowed: true,
          minPasswordLength: 5,
          requireMixedCase: false,
          requireNumberChar: false,
          requireSpecialChar: false,
          maxAttempts: 0,
          lockoutDurationMinutes: 0,
        },
      },
      secondary: { requireTotp: false, requireExtJwtSigner: null },
    });
  });
});

describe('an auth policy', () => {
  it('is in normal form when it was normalised', () => {
    expect(normaliseAuthPolicy(primary, secondary)).toEqual({ primary, secondary });
    expect(normaliseAuthPolicy(current.primary, current.secondary)).toEqual(current);
  });

  it('has its numbers brought into range', () => {
    const numbers = { minPasswordLength: 1, maxAttempts: -1, lockoutDurationMinutes: -5 };
    expect(
      normaliseAuthPolicy({ ...primary, updb: { ...updb, ...numbers } }, secondary).primary.updb,
    ).toEqual({ ...updb, minPasswordLength: 5, maxAttempts: 0, lockoutDurationMinutes: 0 });
  });

  test.each([[undefined], [null], ['']])('needs no secondary signer: %j', (requireExtJwtSigner) => {
    expect(
      normaliseAuthPolicy(primary, { requireTotp: false, requireExtJwtSigner }).secondary,
    ).toEqual(secondary);
  });

  test.each<[unknown, unknown, string]>([
    [undefined, secondary, 'primary'],
    [primary, null, 'secondary'],
    [{ updb, cert }, secondary, 'primary.extJwt'],
    [{ ...primary, cert: { allowed: true } }, secondary, 'primary.cert.allowExpiredCerts'],
    [{ ...primary, cert: { ...cert, allowed: 'yes' } }, secondary, 'primary.cert.allowed'],
    [{ ...primary, extJwt: { allowed: true } }, secondary, 'primary.extJwt.allowedSigners'],
    [
      { ...primary, extJwt: { ...extJwt, allowedSigners: [''] } },
      secondary,
      'primary.extJwt.allowedSigners[0]',
    ],
    [{ ...primary, updb: { ...updb, maxAttempts: 0.5 } }, secondary, 'primary.updb.maxAttempts'],
    [
      { ...primary, updb: { ...updb, maxAttempts: 2 ** 31 } },
      secondary,
      'primary.updb.maxAttempts',
    ],
    [primary, {}, 'secondary.requireTotp'],
    [primary, { requireTotp: true, requireExtJwtSigner: 1 }, 'secondary.requireExtJwtSigner'],
  ])('%j with %j is refused at %s', (first, second, field) => {
    expect(refusal(normaliseAuthPolicy, first, second)?.field).toBe(field);
  });
});

describe('a partial change of an auth policy', () => {
  const [kept, gone] = [current.primary, current.secondary];

  test.each<[unknown, unknown, unknown]>([
    [undefined, undefined, current],
    [null, null, current],
    [{}, {}, current],
    [{ cert: null, updb: { maxAttempts: null } }, { requireExtJwtSigner: null }, current],
    [
      { updb: { maxAttempts: -2 } },
      {},
      { primary: { ...kept, updb: { ...kept.updb, maxAttempts: 0 } }, secondary: gone },
    ],
    [
      { cert: { allowed: true } },
      {},
      { primary: { ...kept, cert: { allowed: true, allowExpiredCerts: true } }, secondary: gone },
    ],
    [
      { extJwt: { allowedSigners: [] } },
      {},
      { primary: { ...kept, extJwt: { allowed: true, allowedSigners: [] } }, secondary: gone },
    ],
    [
      undefined,
      { requireTotp: false },
      { primary: kept, secondary: { ...gone, requireTotp: false } },
    ],
    [
      undefined,
      { requireExtJwtSigner: '' },
      { primary: kept, secondary: { ...gone, requireExtJwtSigner: null } },
    ],
  ])('%j, %j', (first, second, result) => {
    expect(normaliseAuthPolicy(first, second, current)).toEqual(result);
  });

  it('is refused where a value is of the wrong kind', () => {
    expect(refusal(normaliseAuthPolicy, { updb: 1 }, {}, current)?.field).toBe('primary.updb');
  });
});
