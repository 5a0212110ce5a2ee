import { invalidField } from './errors.js';

/*
 * Tests of storable values. PostgreSQL refuses NUL in texts and in JSON, and a lone surrogate in
 * JSON; in texts, UTF-8 would silently replace it. Programs that copy a member called `__proto__`,
 * such as Prisma, lose it. JSON has no infinite numbers.
 */

/**
 * Limit of nested lists and objects in one stored value; documents that contain the value add
 * levels.
 */
export const MAX_STORED_LEVELS = 56;

export const UNSTORABLE = 'must be text without NUL and lone surrogates';

const UNSTORABLE_NAME = 'must not be called __proto__';
const UNSTORABLE_NUMBER = 'must be a number that fits into 64 bits';

export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && !/\p{Surrogate}/u.test(text);

/** The reason why a member may not have this name; undefined if it may. */
export function nameFault(name: string): string | undefined {
  if (name === '__proto__') return UNSTORABLE_NAME;
  return isStorableText(name) ? undefined : UNSTORABLE;
}

/** The reason why a scalar value can not be stored; undefined if it can. */
export function scalarFault(value: unknown): string | undefined {
  if (typeof value === 'string' && !isStorableText(value)) return UNSTORABLE;
  return typeof value === 'number' && !Number.isFinite(value) ? UNSTORABLE_NUMBER : undefined;
}

export const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member)));

/** Whether a value of limited depth can be stored. */
export const isStorable = (value: unknown): boolean =>
  scalarFault(value) === undefined &&
  (typeof value !== 'object' ||
    value === null ||
    Object.entries(value).every(
      ([name, member]) => nameFault(name) === undefined && isStorable(member),
    ));

/**
 * Refuses unstorable values and member names anywhere in a value of limited depth. The field of the
 * error is their dotted path below `at`.
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
