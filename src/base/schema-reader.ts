import { invalidField } from './errors.js';
import { isObject } from './row.js';
import { isSent, type TypedSchema } from './typed-schema.js';

/**
 * Gives a value that conforms, with its declared members alone and defaults in place of absent ones.
 * Throws COULD_NOT_VALIDATE with the first fault in the declared order; the field starts with `place`,
 * which is where the client wrote the value.
 */
export type Reader<T> = (value: unknown, place?: string) => T;

/** `a.b`, `a[0]`, `[0].a` */
const placeOf = (place: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>((at, step) => {
    if (typeof step === 'number') return `${at}[${String(step)}]`;
    return at === '' ? String(step) : `${at}.${String(step)}`;
  }, place);

/** A reader of one schema; `normalise` gives the form in which values are kept. */
export function readerOf<T>(
  schema: TypedSchema<T>,
  normalise: (value: T) => T = (value) => value,
): Reader<T> {
  return (value, place = '') => {
    const result = schema.safeParse(value, { reportInput: true });
    if (result.success) return normalise(result.data);
    const [fault] = result.error.issues;
    const { input, message = '', path = [] } = fault ?? {};
    const reason = isSent(input) ? message : 'is required';
    throw invalidField(placeOf(place, path) || 'body', reason, input ?? null);
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
