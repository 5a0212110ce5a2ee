import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
  type AttributeType,
} from './attribute.js';
import { invalidField } from './errors.js';
import { isObject, type Row } from './row.js';
import type { Resource } from './resource.js';

export type InputVerb = 'create' | 'replace' | 'update';

/**
 * Checks the shape of an input and gives the values to store, by attribute name.
 * Refuses the first fault in the order of declaration: 400 with the member's path, a reason and the value.
 * Create and replace fill in defaults; update gives only what was sent.
 */
export function checkInput(resource: Resource, verb: InputVerb, input: Row): Row {
  return checkMembers([...resource.attributes.values()], verb, input, '');
}

function checkMembers(
  attributes: readonly Attribute[],
  verb: InputVerb,
  input: Row,
  path: string,
): Row {
  const values: Row = {};
  for (const a of attributes) {
    if (!isWritable(a, verb)) continue;
    const value = member(a, verb, input[inputNameOf(a)], `${path}${inputNameOf(a)}`);
    if (value !== undefined) values[a.name] = value;
  }
  return values;
}

function member(a: Attribute, verb: InputVerb, value: unknown, field: string): unknown {
  if (value === undefined || (value === null && verb !== 'update')) {
    if (verb === 'update') return undefined;
    if (a.required === true || (a.required === 'create' && verb === 'create')) {
      throw invalidField(field, `${field} in body is required`, '');
    }
    if (verb === 'replace' && a.required === 'create') return undefined;
    return defaultOf(a);
  }
  if (value === null) {
    if (a.nullable) return null;
    throw invalidField(field, `${field} in body must not be null`, null);
  }
  return checkValue(a.inputType ?? a.type, verb, value, field);
}

/** What a member has that nobody sent: its declared default, or the empty value of its kind. */
export function defaultOf(a: Attribute): unknown {
  if (a.default !== undefined) return structuredClone(a.default);
  if (a.inputOnly) return undefined;
  if (a.nullable) return null;
  return {
    map: {},
    set: [],
    references: [],
    roles: [],
    objects: [],
    text: '',
    int: 0,
    bool: false,
  }[a.type.kind as string];
}

const typeFault = (field: string, type: string, value: unknown): Error =>
  invalidField(field, `${field} in body must be of type ${type}: "${kindOf(value)}"`, value);

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

function checkValue(type: AttributeType, verb: InputVerb, value: unknown, field: string): unknown {
  switch (type.kind) {
    case 'text':
    case 'reference':
      return checkText(type.kind === 'text' ? type : {}, value, field);
    case 'bytes':
      return checkBytes(value, field);
    case 'int':
      return checkInt(type, value, field);
    case 'bool':
      if (typeof value !== 'boolean') throw typeFault(field, 'boolean', value);
      return value;
    case 'time':
      return checkTime(value, field);
    case 'json':
      return value;
    case 'enum':
      return checkEnum(type.values, value, field);
    case 'map':
      return checkMap(type.values, value, field);
    case 'set':
    case 'references':
    case 'roles':
      return checkSet(type, value, field);
    case 'object':
      if (!isObject(value)) throw typeFault(field, 'object', value);
      return checkMembers(
        attributesOf(type.of()),
        verb === 'update' ? 'update' : 'replace',
        value,
        `${field}.`,
      );
    case 'objects':
      if (!Array.isArray(value)) throw typeFault(field, 'array', value);
      return value.map((item: unknown, i) => {
        const at = `${field}.${String(i)}`;
        if (!isObject(item)) throw typeFault(at, 'object', item);
        return checkMembers(attributesOf(type.of()), 'replace', item, `${at}.`);
      });
  }
}

function checkText(limits: { min?: number; max?: number }, value: unknown, field: string): string {
  if (typeof value !== 'string') throw typeFault(field, 'string', value);
  // PostgreSQL stores no NUL in texts.
  if (value.includes('\0')) throw invalidField(field, `${field} in body must not contain NUL`, '');
  const { min = 0, max = Infinity } = limits;
  if (value.length < min) {
    const reason =
      min === 1
        ? `${field} is required`
        : `${field} in body should be at least ${String(min)} chars long`;
    throw invalidField(field, reason, value);
  }
  if (value.length > max) {
    throw invalidField(
      field,
      `${field} in body should be at most ${String(max)} chars long`,
      value,
    );
  }
  return value;
}

function checkBytes(value: unknown, field: string): Buffer {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) {
    throw typeFault(field, 'byte', value);
  }
  return Buffer.from(value, 'base64');
}

function checkInt(limits: { min?: number; max?: number }, value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    throw typeFault(field, 'integer', value);
  }
  const { min = -2147483648, max = 2147483647 } = limits;
  if (value < min) {
    throw invalidField(
      field,
      `${field} in body should be greater than or equal to ${String(min)}`,
      value,
    );
  }
  if (value > max) {
    throw invalidField(
      field,
      `${field} in body should be less than or equal to ${String(max)}`,
      value,
    );
  }
  return value;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

function checkTime(value: unknown, field: string): Date {
  const time =
    value instanceof Date
      ? value
      : new Date(typeof value === 'string' && RFC3339.test(value) ? value : NaN);
  if (Number.isNaN(time.getTime())) throw typeFault(field, 'date-time', value);
  return time;
}

function checkEnum(values: readonly string[], value: unknown, field: string): unknown {
  if (typeof value !== 'string' || !values.includes(value)) {
    throw invalidField(field, `${field} in body should be one of [${values.join(' ')}]`, value);
  }
  return value;
}

type MapValues = (AttributeType & { kind: 'map' })['values'];

function checkMap(values: MapValues, value: unknown, field: string): Row {
  if (!isObject(value)) throw typeFault(field, 'object', value);
  for (const [key, entry] of Object.entries(value)) {
    const at = `${field}.${key}`;
    if (JSON.stringify([key, entry]).includes('\\u0000')) {
      throw invalidField(at, `${at} in body must not contain NUL`, '');
    }
    if (values === 'tag' && entry !== null && typeof entry === 'object') {
      throw typeFault(at, 'null, string, number or boolean', entry);
    }
    if (values === 'cost') checkInt({ min: 0, max: 65535 }, entry, at);
    if (values === 'precedence') checkEnum(['default', 'required', 'failed'], entry, at);
  }
  return value;
}

function checkSet(
  type: AttributeType & { kind: 'set' | 'references' | 'roles' },
  value: unknown,
  field: string,
): string[] {
  if (!Array.isArray(value)) throw typeFault(field, 'array', value);
  const texts = value.map((item: unknown, i) => checkText({}, item, `${field}.${String(i)}`));
  const prefixed = texts.find((t) => t.startsWith('#') || t.startsWith('@'));
  if (type.kind === 'set' && type.of === 'attribute' && prefixed !== undefined) {
    throw invalidField(
      field,
      `role attributes may not be prefixed with ${prefixed.charAt(0)}`,
      prefixed,
    );
  }
  return byteSorted(texts);
}

/** A set of texts as stored and shown: no duplicates, in the order of their UTF-8 bytes. */
export const byteSorted = (texts: readonly string[]): string[] =>
  [...new Set(texts)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
