import { createHmac, hkdfSync, randomInt } from 'node:crypto';

/**
 * The letters of RFC 8628 6.1: without vowels, so that no words come about, and without digits, so that
 * none looks like a letter.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20 to the power of 8 codes: 34.6 bits. docs/security.md says why this is enough. */
const LENGTH = 8;
const HALF = LENGTH / 2;

/** A random user code as people read it: `BCDF-GHJK`. */
export function newUserCode(): string {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

/**
 * The form in which a user code is stored, however a person writes it: in small letters, or with spaces or
 * without dashes. A plain hash would give the codes away to a reader of the database, who can try them all.
 */
export const userCodeHash = (secretKey: Buffer, text: string): string =>
  createHmac('sha256', hashKey(secretKey)).update(lettersIn(text)).digest('base64url');

/** The letters of a code in capitals, bounded before the work on them. */
const lettersIn = (text: string): string =>
  text
    .slice(0, 4 * LENGTH)
    .replace(/[^a-z]/gi, '')
    .toUpperCase();

const hashKey = (secretKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'overgraph user code v1', 32));
