import { randomInt, timingSafeEqual } from 'node:crypto';

const CODES = 20;
const CODE_LENGTH = 6;
/** RFC 4648 6 */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const RECOVERY_CODE = /^[A-Z2-7]{6}$/;

/**
 * Makes twenty different codes of six base32 characters. Each has a letter, so that none looks like
 * a one-time code.
 */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < CODES) {
    const code = newCode();
    if (/[A-Z]/.test(code)) codes.add(code);
  }
  return [...codes];
}

const newCode = (): string =>
  Array.from({ length: CODE_LENGTH }, () => BASE32.charAt(randomInt(BASE32.length))).join('');

/**
 * The remaining codes after a use; undefined when the given code is not among them. It compares
 * every code in constant time, so that the duration reveals nothing.
 */
export function spendRecoveryCode(codes: readonly string[], input: string): string[] | undefined {
  if (!RECOVERY_CODE.test(input)) return undefined;
  const remaining = codes.filter((code) => !isEqual(code, input));
  return remaining.length < codes.length ? remaining : undefined;
}

function isEqual(code: string, input: string): boolean {
  const [a, b] = [Buffer.from(code), Buffer.from(input)];
  return a.length === b.length && timingSafeEqual(a, b);
}
