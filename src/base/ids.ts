import { randomFillSync } from 'node:crypto';
import { invalidField } from './errors.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-';
const PLAIN = ALPHABET.slice(0, 62);
const LENGTH = 12;

/** A stock of random bytes, since a system call for every few bytes would be slow. */
const stock = Buffer.alloc(4096);
let used = stock.length;

function randomByte(): number {
  if (used === stock.length) {
    randomFillSync(stock);
    used = 0;
  }
  return stock.readUInt8(used++);
}

function randomText(alphabet: string, length: number): string {
  let text = '';
  for (let i = 0; i < length; i += 1) text += alphabet.charAt(randomByte() % alphabet.length);
  return text;
}

/** A random id: 12 characters of `0-9A-Za-z.-`, a letter or digit at both ends. */
export const newId = (): string =>
  randomText(PLAIN, 1) + randomText(ALPHABET, LENGTH - 2) + randomText(PLAIN, 1);

const ID = /^[0-9A-Za-z][0-9A-Za-z.-]{8,98}[0-9A-Za-z]$/;

/** Whether a text from a client can be the id of an entity. */
export const isUsableAsId = (text: string): boolean => ID.test(text);

const CHOSEN = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * Refuses a text that can not be the id of an entity for which a client chooses the id.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function checkChosenId(field: string, id: string): void {
  if (CHOSEN.test(id)) return;
  throw invalidField(field, 'must be 1 to 100 letters, digits, `_`, `-` or `.`', id);
}

let latest = 0;

/**
 * An id that sorts by time of creation as text, which routers need for sessions. It sorts after all
 * earlier ids of this process, even if the clock was set back.
 */
export function newSortableId(now: Date): string {
  latest = Math.max(latest + 1, now.getTime());
  return `c${latest.toString(36).padStart(9, '0')}${randomText(PLAIN, 14).toLowerCase()}`;
}
