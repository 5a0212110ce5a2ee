import { bareWords } from './fault-words.js';
import type { JsonSchema } from './json-schema.js';
import { isObject } from './row.js';
import { isBlank } from './schema-keywords.js';
import type { TypedSchema } from './typed-schema.js';
import { validatorOf } from './validator.js';

/**
 * Gives a value that conforms, with its declared members alone and defaults in place of absent ones.
 * Throws COULD_NOT_VALIDATE; the field starts with `place`, which is where the client wrote the value.
 */
export type Reader<T> = (value: unknown, place?: string) => T;

/** Null is what generated clients send for a member they leave out. */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;

const isLeftOut = (schema: JsonSchema, value: unknown): boolean =>
  schema.default !== undefined && (!isSent(value) || isBlank(schema.blank, value));

function conforming(schema: JsonSchema, value: unknown): unknown {
  if (isLeftOut(schema, value)) return structuredClone(schema.default);
  const { items, properties } = schema;
  if (isObject(items) && Array.isArray(value)) {
    return value.map((entry: unknown) => conforming(items, entry));
  }
  if (!isObject(properties) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      conforming(member as JsonSchema, value[name]),
    ]),
  );
}

/** A reader of one schema; `normalise` gives the form in which values are kept. */
export function readerOf<T>(
  schema: TypedSchema<T>,
  normalise: (value: T) => T = (value) => value,
): Reader<T> {
  const validate = validatorOf(schema, { words: bareWords });
  return (value, place = '') => {
    if (!isLeftOut(schema, value)) validate(value, place);
    // The schema is declared with the type of what conforms to it.
    return normalise(conforming(schema, value) as T);
  };
}

/** A partial change laid over what there is, at any depth: null and absent members stay as they are. */
export function overlaid(current: unknown, sent: unknown): unknown {
  if (!isSent(sent)) return current;
  if (!isObject(current) || !isObject(sent)) return sent;
  const changed = Object.entries(sent).map(([name, member]) => [
    name,
    overlaid(current[name], member),
  ]);
  return { ...current, ...Object.fromEntries(changed) };
}
