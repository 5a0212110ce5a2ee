import { invalidField } from '../../src/base/errors.js';
import { isObject, type JsonObject } from '../../src/base/row.js';

/** A member of a body that must be there and of a type; the documented field error otherwise. */
export function needed<T>(
  body: unknown,
  name: string,
  type: string,
  is: (value: unknown) => value is T,
): T {
  const value = isObject(body) ? body[name] : undefined;
  if (value === undefined || value === null) {
    throw invalidField(name, `${name} in body is required`, '');
  }
  if (!is(value)) throw invalidField(name, `${name} in body must be of type ${type}`, value);
  return value;
}

/** A member of a body that may be missing or null; of a type where it is there. */
export function optional<T>(
  body: Readonly<JsonObject>,
  name: string,
  type: string,
  is: (value: unknown) => value is T,
): T | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || is(value)) return value;
  throw invalidField(name, `${name} in body must be of type ${type}`, value);
}

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/** A whole number that GraphQL takes for one. */
export const isInteger = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 2_147_483_647;

export const isTime = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^\d{4}-\d\d-\d\d[Tt]/.test(value) &&
  !Number.isNaN(Date.parse(value));
