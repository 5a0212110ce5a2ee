import { invalidField } from './errors.js';

/** Readers of untyped input. `field` is where the value stood, as the client wrote it. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null is what generated clients send for a member they leave out. */
export const isSent = (value: unknown): boolean => value !== undefined && value !== null;

const refuse = (field: string, reason: string, value: unknown): never => {
  throw invalidField(field, isSent(value) ? reason : 'is required', value ?? null);
};

export const objectAt = (value: unknown, field: string): Record<string, unknown> =>
  isObject(value) ? value : refuse(field, 'must be an object', value);

/** Text that says something: blank text is refused. */
export const textAt = (value: unknown, field: string): string =>
  typeof value === 'string' && value.trim() !== ''
    ? value
    : refuse(field, 'must be text that is not blank', value);

export const booleanAt = (value: unknown, field: string): boolean =>
  typeof value === 'boolean' ? value : refuse(field, 'must be true or false', value);

/** Whole numbers that a 32-bit column holds. */
export const integerAt = (value: unknown, field: string): number =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31
    ? value
    : refuse(field, 'must be a whole number', value);

export function choiceAt<T extends string>(
  choices: readonly T[],
  value: unknown,
  field: string,
): T {
  return (
    choices.find((choice) => choice === value) ??
    refuse(field, `must be one of ${choices.join(', ')}`, value)
  );
}

export const listAt = <T>(
  value: unknown,
  field: string,
  entryAt: (entry: unknown, field: string) => T,
): T[] =>
  Array.isArray(value)
    ? value.map((entry: unknown, i) => entryAt(entry, `${field}[${String(i)}]`))
    : refuse(field, 'must be a list', value);
