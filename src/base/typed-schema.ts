import type { JsonSchema } from './json-schema.js';
import type { Blank, Rule } from './schema-keywords.js';
import type { Typed, ValueOf } from './typed.js';

/*
 * Schemas of what clients send, with the types of the values that conform. Members with a `default`
 * may be left out; all others are required.
 */

export type TypedSchema<T> = JsonSchema & Typed<T>;

type Members = Readonly<Record<string, JsonSchema>>;

/** An object with these members; others are ignored. */
export const schemaOf = <M extends Members>(
  members: M,
): TypedSchema<{ readonly [K in keyof M]: ValueOf<M[K]> }> => ({
  type: 'object',
  required: Object.keys(members).filter((name) => !Object.hasOwn(members[name] ?? {}, 'default')),
  properties: members,
});

export const anything = (): TypedSchema<unknown> => ({});

export const anyObject = (): TypedSchema<Readonly<Record<string, unknown>>> => ({ type: 'object' });

export const boolean = (): TypedSchema<boolean> => ({ type: 'boolean' });

/** Whole numbers that a 32-bit column holds, whatever their sign. */
export const integer = (): TypedSchema<number> => ({
  type: 'integer',
  minimum: -2147483647,
  maximum: 2147483647,
});

/** Text that may be empty. */
export const anyText = (): TypedSchema<string> => ({ type: 'string' });

/** Text that is not blank; `blank` names the blank texts that count as absent. */
export const filledText = (blank: Blank = 'none'): TypedSchema<string> => ({
  type: 'string',
  blank,
});

export const choice = <T extends string>(choices: readonly T[]): TypedSchema<T> => ({
  type: 'string',
  enum: choices,
});

export const listOf = <T>(entry: TypedSchema<T>): TypedSchema<readonly T[]> => ({
  type: 'array',
  items: entry,
});

export const filledListOf = <T>(entry: TypedSchema<T>): TypedSchema<readonly T[]> => ({
  ...listOf(entry),
  minItems: 1,
});

/** A value that may be left out, and is `fallback` then. */
export const orElse = <T>(schema: TypedSchema<T>, fallback: NoInfer<T>): TypedSchema<T> => ({
  ...schema,
  default: fallback,
});

export const orNull = <T>(schema: TypedSchema<T>): TypedSchema<T | null> => ({
  ...schema,
  default: null,
});

/** A value of the right type that also has to follow a rule. */
export const ruled = <T>(schema: TypedSchema<T>, rule: Rule<T>): TypedSchema<T> => ({
  ...schema,
  rule,
});
