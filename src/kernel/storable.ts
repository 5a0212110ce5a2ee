import { invalidField } from './errors.js';

/*
 * What PostgreSQL can store. It takes NUL neither in texts nor in JSON, and JSON with half a
 * surrogate pair no more; in texts UTF-8 would silently replace that half.
 */

/** Levels of lists and objects in one stored value; documents that hold the value add their own. */
export const MOST_STORED_LEVELS = 56;

export const UNSTORABLE = 'must be text without NUL and lone surrogates';

export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text);

export const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

/**
 * Refuses texts and names of members that can not be stored, wherever they stand in a value whose
 * depth is known to be bounded. The field is their dotted path below `at`.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function refuseUnstorable(value: unknown, at = ''): void {
  if (typeof value === 'string') {
    if (!isStorableText(value)) throw invalidField(at === '' ? 'body' : at, UNSTORABLE, '');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const place = at === '' ? name : `${at}.${name}`;
    if (!isStorableText(name)) throw invalidField(place, UNSTORABLE, '');
    refuseUnstorable(member, place);
  }
}
