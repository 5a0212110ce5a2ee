/*
 * The form of a value that a reader of JSON expects: members that it does not name may be there, too.
 */

/** `?` behind the name of a member: absent or null is fine. */
export type Shape =
  | 'text'
  | 'filled'
  | 'time'
  | 'int'
  | 'bool'
  | 'object'
  | 'pem'
  | 'version'
  /** One of these texts. */
  | { readonly oneOf: readonly string[] }
  /** A list; it must have an entry unless it may be empty. */
  | { readonly listOf: Shape; readonly mayBeEmpty?: true }
  /** An object whose members all have this shape. */
  | { readonly mapOf: Shape }
  | { readonly members: Members };

export interface Members {
  readonly [name: string]: Shape;
}

export const listOf = (shape: Shape): Shape => ({ listOf: shape });
export const anyListOf = (shape: Shape): Shape => ({ listOf: shape, mayBeEmpty: true });
export const mapOf = (shape: Shape): Shape => ({ mapOf: shape });
export const members = (named: Members): Shape => ({ members: named });
export const oneOf = (...texts: string[]): Shape => ({ oneOf: texts });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** As the Go SDK reads versions: three numbers, which it compares with those of features. */
const VERSION = /^v?\d+\.\d+\.\d+([-+].*)?$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';

const PLAIN: Readonly<Record<Extract<Shape, string>, (value: unknown) => boolean>> = {
  text: isText,
  filled: (value) => isText(value) && value !== '',
  time: (value) => isText(value) && TIME.test(value),
  int: Number.isSafeInteger,
  bool: (value) => typeof value === 'boolean',
  object: isObject,
  pem: (value) => isText(value) && value.includes('-----BEGIN CERTIFICATE-----'),
  version: (value) => isText(value) && VERSION.test(value),
};

/** The places where a value has another shape than its reader expects. */
export function misfits(value: unknown, shape: Shape, at = 'data'): string[] {
  const misfit = (what: string): string[] => [`${at} is ${shown(value)}, not ${what}`];
  if (typeof shape === 'string') return PLAIN[shape](value) ? [] : misfit(shape);
  if ('oneOf' in shape) {
    return isText(value) && shape.oneOf.includes(value) ? [] : misfit(shape.oneOf.join('|'));
  }
  if ('listOf' in shape) {
    if (!Array.isArray(value)) return misfit('a list');
    if (value.length === 0 && !shape.mayBeEmpty) return misfit('a list with an entry');
    return value.flatMap((each, i) => misfits(each, shape.listOf, `${at}[${String(i)}]`));
  }
  if (!isObject(value)) return misfit('an object');
  if ('mapOf' in shape) {
    return Object.entries(value).flatMap(([key, each]) =>
      misfits(each, shape.mapOf, `${at}.${key}`),
    );
  }
  return Object.entries(shape.members).flatMap(([name, member]) =>
    misfitsOfMember(value, name, member, at),
  );
}

function misfitsOfMember(
  value: Readonly<Record<string, unknown>>,
  name: string,
  shape: Shape,
  at: string,
): string[] {
  const isOptional = name.endsWith('?');
  const key = isOptional ? name.slice(0, -1) : name;
  const each = value[key] ?? undefined;
  if (each === undefined && isOptional) return [];
  return misfits(each, shape, `${at}.${key}`);
}

const shown = (value: unknown): string =>
  value === undefined ? 'absent' : JSON.stringify(value).slice(0, 60);
