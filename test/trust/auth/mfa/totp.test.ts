import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import {
  isTotpCode,
  newTotpSecret,
  provisioningUrl,
  verifyTotp,
} from '../../../../src/trust/auth/mfa/index.js';
import { runs } from '../../../support/runs.js';

/** The secret of RFC 6238 appendix B, `12345678901234567890`, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number): Date => new Date(seconds * 1000);

/** RFC 4226 5.3, apart from the library that is tested. */
function codeOf(step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', '12345678901234567890').update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0xf;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

describe('a one-time code', () => {
  // The vectors for SHA-1 have eight digits; six digits are their end.
  test.each([
    [59, '94287082', 1],
    [1111111109, '07081804', 37037036],
    [1111111111, '14050471', 37037037],
    [1234567890, '89005924', 41152263],
    [2000000000, '69279037', 66666666],
    [20000000000, '65353130', 666666666],
  ])('at %d is the end of %s, of time step %d', (seconds, vector, step) => {
    expect(verifyTotp(SECRET, vector.slice(2), at(seconds))).toBe(step);
    expect(verifyTotp(SECRET, vector, at(seconds))).toBeUndefined();
  });

  const STEP = 41152263;
  const start = STEP * 30;

  test.each([
    [-3, undefined],
    [-2, STEP - 2],
    [-1, STEP - 1],
    [0, STEP],
    [1, STEP + 1],
    [2, STEP + 2],
    [3, undefined],
  ])('of %d steps from now belongs to step %s', (drift, expected) => {
    const code = codeOf(STEP + drift);
    for (const seconds of [start, start + 15, start + 29.999]) {
      expect(verifyTotp(SECRET, code, at(seconds))).toBe(expected);
    }
  });

  it('serves once', () => {
    const now = at(start);
    const used = verifyTotp(SECRET, codeOf(STEP), now);
    expect(used).toBe(STEP);
    expect(verifyTotp(SECRET, codeOf(STEP), now, used)).toBeUndefined();
    expect(verifyTotp(SECRET, codeOf(STEP), at(start + 60), used)).toBeUndefined();
    expect(verifyTotp(SECRET, codeOf(STEP + 1), now, used)).toBe(STEP + 1);
    expect(verifyTotp(SECRET, codeOf(STEP - 1), now, used)).toBeUndefined();
  });

  test.each([STEP + 2, STEP + 3, STEP + 1_000_000])(
    'is refused, not thrown at, when step %d was used before the clock went back',
    (lastUsed) => {
      for (const drift of [-2, 0, 2]) {
        expect(verifyTotp(SECRET, codeOf(STEP + drift), at(start), lastUsed)).toBeUndefined();
      }
    },
  );

  test.each([
    '',
    '0',
    '05924',
    '0005924',
    ' 005924',
    '005924 ',
    '005924\n',
    '00592a',
    '+05924',
    '-05924',
    '5924.0',
    '٠٠٥٩٢٤',
    '００５９２４',
  ])('is six digits, unlike %j', (code) => {
    expect(isTotpCode(code)).toBe(false);
    expect(verifyTotp(SECRET, code, at(1234567890))).toBeUndefined();
  });

  it('of any other text is refused', () => {
    fc.assert(
      fc.property(fc.string(), (code) => {
        fc.pre(!/^\d{6}$/.test(code));
        expect(verifyTotp(SECRET, code, at(start))).toBeUndefined();
      }),
      runs(100),
    );
  });

  it('is accepted under secrets of ten bytes too', () => {
    const code = codeOfTen(STEP);
    expect(verifyTotp('GEZDGNBVGY3TQOJQ', code, at(start))).toBe(STEP);
  });

  function codeOfTen(step: number): string {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(step));
    const mac = createHmac('sha1', '1234567890').update(counter).digest();
    const value = mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff;
    return String(value % 1_000_000).padStart(6, '0');
  }
});

describe('a secret', () => {
  it('is 20 random bytes in base32 without padding', () => {
    const secrets = Array.from({ length: 50 }, newTotpSecret);
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });
});

describe('the provisioning URL', () => {
  it('names issuer and account, with the query in the order of the alphabet', () => {
    expect(provisioningUrl({ issuer: 'openziti.io', account: 'alice', secret: SECRET })).toBe(
      `otpauth://totp/openziti.io:alice?issuer=openziti.io&secret=${SECRET}`,
    );
  });

  it.each([
    ['alice@corp.test', 'alice@corp.test'],
    ['a b', 'a%20b'],
    ['a?secret=B', 'a%3Fsecret=B'],
    ['a#b&c', 'a%23b&c'],
    ['50%', '50%25'],
    ['Zoë', 'Zo%C3%AB'],
  ])('keeps %j readable, and whole', (account, text) => {
    const url = provisioningUrl({ issuer: 'my net', account, secret: SECRET });
    expect(url).toBe(`otpauth://totp/my%20net:${text}?issuer=my%20net&secret=${SECRET}`);
    const parsed = new URL(url);
    expect(decodeURIComponent(parsed.pathname.split(':')[1] ?? '')).toBe(account);
    expect(Object.fromEntries(parsed.searchParams)).toEqual({ issuer: 'my net', secret: SECRET });
  });
});
