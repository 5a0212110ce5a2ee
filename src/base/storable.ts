import { invalidField } from './errors.js';

/*
 * What can be stored. PostgreSQL takes NUL neither in texts nor in JSON, and JSON with half a
 * surrogate pair no more; in texts UTF-8 would silently replace that half. Programs that copy a
 * member called `__proto__` lose it and what is in it, Prisma among them. JSON has no infinite numbers.
 */

/** Levels of lists and objects in one stored value; documents that hold the value add their own. */
export const MOST_STORED_LEVELS = 56;

export const UNSTORABLE = 'must be text without NUL and lone surrogates';

const UNSTORABLE_NAME = 'must not be called __proto__';
const UNSTORABLE_NUMBER = 'must be a number that fits into 64 bits';

export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** Why a member may not have such a name, if so. */
export function nameFault(name: string): string | undefined {
  if (name === '__proto__') return UNSTORABLE_NAME;
  return isStorableText(name) ? undefined : UNSTORABLE;
}

/** Why a value that is no object and no list can not be stored, if so. */
export function scalarFault(value: unknown): string | undefined {
  if (typeof value === 'string' && !isStorableText(value)) return UNSTORABLE;
  return typeof value === 'number' && !Number.isFinite(value) ? UNSTORABLE_NUMBER : undefined;
}

export const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

/** Whether a value whose depth is known to be bounded can be stored. */
export const isStorable = (value: unknown): boolean =>
  scalarFault(value) === undefined &&
  (typeof value !== 'object' ||
    value === null ||
    Object.entries(value).every(
      ([name, member]) => nameFault(name) === undefined && isStorable(member),
    ));

/**
 * Refuses values and names of members that can not be stored, wherever they stand in a value whose
 * depth is known to be bounded. The field is their dotted path below `at`.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function refuseUnstorable(value: unknown, at = ''): void {
  const fault = scalarFault(value);
  if (fault !== undefined) throw invalidField(at === '' ? 'body' : at, fault, '');
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const place = at === '' ? name : `${at}.${name}`;
    const reason = nameFault(name);
    if (reason !== undefined) throw invalidField(place, reason, '');
    refuseUnstorable(member, place);
  }
}
