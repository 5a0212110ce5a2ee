import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
  type Shape,
} from '../declare/attribute.js';
import { byteSorted } from '../../base/byte-order.js';
import { ApiError, invalidField } from '../../base/errors.js';
import { isObject, type Row } from '../../base/row.js';
import type { Resource } from '../declare/resource.js';
import { isDeeperThan, MOST_STORED_LEVELS, refuseUnstorable } from '../../base/storable.js';

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
    if (!isWritable(a, verb) || isOfOtherKind(a, input)) continue;
    const value = member(a, verb, input[inputNameOf(a)], `${path}${inputNameOf(a)}`);
    if (value !== undefined) values[a.name] = value;
  }
  return values;
}

/** Consoles send the members of every kind at once. */
export function isOfOtherKind({ onlyIf }: Attribute, input: Row): boolean {
  const kind = onlyIf && input[onlyIf.member];
  return typeof kind === 'string' && onlyIf?.is.includes(kind) === false;
}

function member(a: Attribute, verb: InputVerb, value: unknown, field: string): unknown {
  const isAbsent = value === undefined || (value === null && verb !== 'update');
  if (isAbsent) return absentMember(a, verb, field);
  refuseEmptyReference(a, value, field);
  if (value !== null) return checkValue(a.inputType ?? a.type, verb, value, field);
  if (a.nullable) return null;
  throw invalidField(field, `${field} in body must not be null`, null);
}

/** No entity has an empty id, so that one is left out where there has to be one. */
function refuseEmptyReference(a: Attribute, value: unknown, field: string): void {
  if (value !== '' || a.required === undefined || a.type.kind !== 'reference') return;
  throw invalidField(a.missingField ?? field, `${field} is required`, value);
}

/** Null counts as absent but in updates of the graph, where it clears. */
function absentMember(a: Attribute, verb: InputVerb, field: string): unknown {
  if (verb === 'update') return undefined;
  if (a.required === true || (a.required === 'create' && verb === 'create')) {
    throw invalidField(field, `${field} in body is required`, '');
  }
  return a.required === 'create' ? undefined : defaultOf(a);
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

/** Why the declaration of a stored attribute does not allow its value, if so. */
export function storedFault(a: Attribute, value: unknown): string | undefined {
  if (value === null || value === undefined) {
    return a.nullable ? undefined : `${a.name} must not be null`;
  }
  // Inputs have them as text.
  if (a.type.kind === 'bytes') return undefined;
  try {
    checkValue(a.type, 'replace', value, a.name);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return error.detail.reason.replace(' in body', '');
  }
}

const typeFault = (field: string, type: string, value: unknown): Error =>
  invalidField(field, `${field} in body must be of type ${type}: "${kindOf(value)}"`, value);

const kindOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
};

/** How a value of one kind is checked; gives the value to store. */
type Check<K extends AttributeType['kind']> = (
  type: Extract<AttributeType, { kind: K }>,
  value: unknown,
  field: string,
  verb: InputVerb,
) => unknown;

const CHECKS: { readonly [K in AttributeType['kind']]: Check<K> } = {
  text: (type, value, field) => checkText(type, value, field),
  reference: (_, value, field) => checkText({}, value, field),
  bytes: (_, value, field) => checkBytes(value, field),
  int: (type, value, field) => checkInt(type, value, field),
  bool: (_, value, field) => checkBool(value, field),
  time: (_, value, field) => checkTime(value, field),
  json: (_, value, field) => checkJson(value, field),
  enum: (type, value, field) => checkEnum(type.values, value, field),
  map: (type, value, field) => checkMap(type.values, value, field),
  set: (type, value, field) => checkSet(type, value, field),
  references: (type, value, field) => checkSet(type, value, field),
  roles: (type, value, field) => checkSet(type, value, field),
  object: (type, value, field, verb) => checkObject(type.of(), value, field, verb),
  objects: (type, value, field) => checkObjects(type.of(), value, field),
};

function checkValue(type: AttributeType, verb: InputVerb, value: unknown, field: string): unknown {
  // The table is keyed by the kind of the very type that is handed on.
  const check = CHECKS[type.kind] as Check<AttributeType['kind']>;
  return check(type, value, field, verb);
}

function checkBool(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw typeFault(field, 'boolean', value);
  return value;
}

/** Create and replace need all required members of a nested object, update takes any part of it. */
function checkObject(shape: Shape, value: unknown, field: string, verb: InputVerb): Row {
  if (!isObject(value)) throw typeFault(field, 'object', value);
  const nested = verb === 'update' ? 'update' : 'replace';
  return checkMembers(attributesOf(shape), nested, value, `${field}.`);
}

function checkObjects(shape: Shape, value: unknown, field: string): Row[] {
  if (!Array.isArray(value)) throw typeFault(field, 'array', value);
  return value.map((item: unknown, i) =>
    checkObject(shape, item, `${field}.${String(i)}`, 'replace'),
  );
}

function checkText(limits: { min?: number; max?: number }, value: unknown, field: string): string {
  if (typeof value !== 'string') throw typeFault(field, 'string', value);
  refuseUnstorable(value, field);
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

/** Whoever reads it later may walk it by recursion. */
function checkJson(value: unknown, field: string): unknown {
  if (isDeeperThan(MOST_STORED_LEVELS, value)) {
    const most = String(MOST_STORED_LEVELS);
    throw invalidField(field, `${field} in body must not nest deeper than ${most} levels`, '');
  }
  refuseUnstorable(value, field);
  return value;
}

type MapValues = (AttributeType & { kind: 'map' })['values'];

function checkMap(values: MapValues, value: unknown, field: string): Row {
  if (!isObject(value)) throw typeFault(field, 'object', value);
  checkJson(value, field);
  for (const [key, entry] of Object.entries(value)) {
    const at = `${field}.${key}`;
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
