import { randomBytes, randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-';
const PLAIN = ALPHABET.slice(0, 62);
const LENGTH = 12;

/** A random id: 12 characters of `0-9A-Za-z.-`, a letter or digit at both ends. */
export function newId(): string {
  const inside = Array.from(randomBytes(LENGTH - 2), (byte) => ALPHABET.charAt(byte % 64)).join('');
  return PLAIN.charAt(randomInt(62)) + inside + PLAIN.charAt(randomInt(62));
}

/** An id that sorts by time of creation as text, which routers rely on for sessions. */
export function newSortableId(now: Date): string {
  const random = Array.from(randomBytes(14), (byte) => PLAIN.charAt(byte % 62)).join('');
  return `c${now.getTime().toString(36).padStart(9, '0')}${random.toLowerCase()}`;
}
