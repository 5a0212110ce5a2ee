import { z } from 'zod';
import { isObject } from './row.js';

/*
 * Shapes that are written by hand, of what clients send: the schemas of zod, with our words for faults.
 * JSON schemas that are data are checked by `validator.ts`: those that follow from declarations and stand
 * in the OpenAPI documents, and those that administrators write for config types.
 */

export type TypedSchema<T> = z.ZodType<T>;

/** The type of what conforms: `ValueOfSchema<typeof SCHEMA>`. */
export type ValueOfSchema<S> = S extends z.ZodType<infer T> ? T : never;

/** Null is what generated clients send for a member they leave out. */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;

/** An object with these members; others are ignored. */
export const schemaOf = <M extends Readonly<Record<string, z.ZodType>>>(members: M) =>
  z.object(members, 'must be an object');

export const anything = () => z.unknown();

export const anyObject = () =>
  z.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object');

export const boolean = () => z.boolean('must be true or false');

const MAX_INTEGER = 2147483647;
const INTEGER = 'must be a whole number';

/** Whole numbers that a 32-bit column holds, whatever their sign. */
export const integer = () => z.int(INTEGER).min(-MAX_INTEGER, INTEGER).max(MAX_INTEGER, INTEGER);

/** Text that may be empty. */
export const anyText = () => z.string('must be text');

const FILLED = 'must be text that is not blank';

/** Text that is not blank. */
export const filledText = () => z.string(FILLED).refine((text) => text.trim() !== '', FILLED);

export const choice = <const T extends string>(choices: readonly T[]): TypedSchema<T> =>
  z.enum(choices, `must be one of ${choices.join(', ')}`);

export const listOf = <S extends z.ZodType>(entry: S) => z.array(entry, 'must be a list');

export const filledListOf = <S extends z.ZodType>(entry: S) =>
  listOf(entry).min(1, 'must not be empty');

export const atMostEntries = <T>(most: number, list: z.ZodArray<TypedSchema<T>>) =>
  list.max(most, `must have at most ${String(most)} entries`);

export const atMostCharacters = (most: number, text: z.ZodString) =>
  text.max(most, `must have at most ${String(most)} characters`);

/** The blank texts that count as absent: those without characters, or any. */
type Blank = 'empty' | 'any';

const isBlank = (blank: Blank | undefined, value: unknown): boolean =>
  typeof value === 'string' &&
  ((blank === 'empty' && value === '') || (blank === 'any' && value.trim() === ''));

/** A value that may be left out, and is `fallback` then. */
export const orElse = <T>(
  schema: TypedSchema<T>,
  fallback: NoInfer<T>,
  blank?: Blank,
): TypedSchema<T> =>
  z.preprocess(
    (value) => (isSent(value) && !isBlank(blank, value) ? value : undefined),
    schema.optional().transform((value): T => value ?? structuredClone(fallback)),
  );

export const orNull = <T>(schema: TypedSchema<T>, blank?: Blank): TypedSchema<T | null> =>
  orElse<T | null>(schema, null, blank);

/** The reason to refuse a value of the right type; undefined when it is accepted. */
type Rule<T> = (value: T) => string | undefined;

/** A value of the right type that also has to follow a rule. */
export const ruled = <T>(schema: TypedSchema<T>, rule: Rule<T>): TypedSchema<T> =>
  schema.superRefine((value, context) => {
    const message = rule(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
