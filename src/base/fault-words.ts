import { invalidField } from './errors.js';
import type { JsonSchema } from './json-schema.js';
import { isPrefixed } from './schema-keywords.js';
import { isDeeperThan, MAX_STORED_LEVELS, refuseUnstorable } from './storable.js';

/** A violation of a schema. */
export interface Fault {
  /** The violated keyword. */
  readonly keyword: string;
  readonly steps: readonly (string | number)[];
  readonly value: unknown;
  /** The schema of the value. */
  readonly schema: JsonSchema;
}

/** Converts faults to errors for clients. `place` is the path of the whole value. */
export interface Wording {
  errorOf(fault: Fault, place: string): Error;
}

type Words = (fault: Fault, field: string) => Error;

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1) ?? ''].filter(Boolean).join(' or ');

function typeIn({ format, type }: JsonSchema): string {
  if (typeof format === 'string') return format;
  return Array.isArray(type) ? alternatives(type.map(String)) : String(type);
}

const listOf = (values: unknown): string => (Array.isArray(values) ? values.join(' ') : '');

/** Makes the error for a member of a body; clients compare its text. */
const memberError =
  (words: (schema: JsonSchema, value: unknown) => string): Words =>
  ({ schema, value }, field) =>
    invalidField(field, `${field} in body ${words(schema, value)}`, value);

const oneOf = memberError((schema) => `should be one of [${listOf(schema.enum)}]`);

const isRequired = (field: string, member: string, value: unknown): Error =>
  invalidField(field, `${member} is required`, value);

function tooShort({ schema, value }: Fault, field: string): Error {
  const least = String(schema.minLength);
  return least === '1'
    ? isRequired(field, field, value)
    : invalidField(field, `${field} in body should be at least ${least} chars long`, value);
}

const empty: Words = ({ schema: { notEmpty }, value }, field) =>
  isRequired(typeof notEmpty === 'string' ? notEmpty : field, field, value);

function unstorable({ value }: Fault, field: string): Error {
  if (isDeeperThan(MAX_STORED_LEVELS, value)) {
    const most = String(MAX_STORED_LEVELS);
    return invalidField(field, `${field} in body must not nest deeper than ${most} levels`, '');
  }
  try {
    refuseUnstorable(value, field);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error(`${field} is storable`);
}

function prefixed({ value }: Fault, field: string): Error {
  const text: unknown = Array.isArray(value) ? value.find(isPrefixed) : value;
  return invalidField(
    field,
    `role attributes may not be prefixed with ${String(text).charAt(0)}`,
    text,
  );
}

const WORDS: Readonly<Record<string, Words>> = {
  required: (_, field) => invalidField(field, `${field} in body is required`, ''),
  notNull: memberError(() => 'must not be null'),
  enum: oneOf,
  minLength: tooShort,
  notEmpty: empty,
  maxLength: memberError(({ maxLength }) => `should be at most ${String(maxLength)} chars long`),
  minimum: memberError(({ minimum }) => `should be greater than or equal to ${String(minimum)}`),
  maximum: memberError(({ maximum }) => `should be less than or equal to ${String(maximum)}`),
  storable: unstorable,
  storableJson: unstorable,
  storableMap: unstorable,
  unprefixed: prefixed,
};

const mustBeOfType = memberError(
  (schema, value) => `must be of type ${typeIn(schema)}: "${kindOf(value)}"`,
);

const mustBeOfTypeAlone = memberError((schema) => `must be of type ${typeIn(schema)}`);

/** `a.b`, `a.0` */
const dotted = (place: string, steps: readonly (string | number)[]): string =>
  [...(place === '' ? [] : [place]), ...steps].join('.');

const wording = (ofType: Words): Wording => ({
  errorOf: (fault, place) => {
    // For an enum the error names the allowed values, even if the type is wrong.
    const words = WORDS[fault.keyword] ?? (fault.schema.enum === undefined ? ofType : oneOf);
    return words(fault, dotted(place, fault.steps));
  },
});

/** Wording for bodies of resources: `name in body must be of type string: "number"`. */
export const bodyWords = wording(mustBeOfType);

/** Wording for bodies of operations: `name in body must be of type string`. */
export const operationWords = wording(mustBeOfTypeAlone);
