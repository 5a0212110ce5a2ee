import { byteSorted } from '../../base/byte-order.js';
import { ApiError } from '../../base/errors.js';
import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import { instantOf } from '../../base/instant.js';
import { faultsOf, validatorOf, type Validator } from '../../base/validator.js';
import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
} from '../declare/attribute.js';
import { inputSchema, nestedVerb, valueSchema } from '../declare/input-schema.js';
import type { Resource } from '../declare/resource.js';
import { setAttribute, type WrittenOf } from '../declare/rows.js';

/** The check of the input of one verb of a resource. */
interface InputCheck {
  readonly attributes: readonly Attribute[];
  readonly validate: Validator;
  readonly faultsOf: (input: unknown) => unknown[];
}

const checks = new WeakMap<Resource, Map<InputVerb, InputCheck>>();

function checkOf(resource: Resource, verb: InputVerb): InputCheck {
  const byVerb = checks.get(resource) ?? new Map<InputVerb, InputCheck>();
  checks.set(resource, byVerb);
  const existing = byVerb.get(verb);
  if (existing) return existing;
  const attributes = [...resource.attributes.values()].filter((a) => isWritable(a, verb));
  const schema = inputSchema(attributes, verb);
  const check = { attributes, validate: validatorOf(schema), faultsOf: faultsOf(schema) };
  byVerb.set(verb, check);
  return check;
}

/**
 * Checks the shape of an input and gives the values to store, by attribute name. Refuses the first
 * fault in the order of declaration: 400 with the member's path, a reason and the value. Create and
 * replace fill in defaults, but for members that a replacement keeps; an update gives only the sent members.
 */
export function checkInput<N extends string>(
  resource: Resource<N>,
  verb: InputVerb,
  input: JsonObject,
): WrittenOf<N> {
  const { attributes, validate } = checkOf(resource, verb);
  validate(input);
  // Values that conform have the types that the class of the resource declares.
  return storedMembers(attributes, verb, input) as WrittenOf<N>;
}

/** The faults of an input: the first of each of its members. */
export const inputFaults = (resource: Resource, verb: InputVerb, input: JsonObject): unknown[] =>
  checkOf(resource, verb).faultsOf(input);

/**
 * Whether the attribute belongs to another kind of entity: consoles send the members of every kind
 * at once.
 */
export function isOfOtherKind({ onlyIf }: Attribute, input: JsonObject): boolean {
  const kind = onlyIf && input[onlyIf.member];
  return typeof kind === 'string' && onlyIf?.is.includes(kind) === false;
}

function storedMembers(
  attributes: readonly Attribute[],
  verb: InputVerb,
  input: JsonObject,
): object {
  const values = {};
  for (const a of attributes) {
    if (isOfOtherKind(a, input)) continue;
    const value = storedMember(a, verb, input[inputNameOf(a)]);
    if (value !== undefined) setAttribute(values, a.name, value);
  }
  return values;
}

/** Null counts as absent, except in GraphQL updates, where it clears the value. */
function storedMember(a: Attribute, verb: InputVerb, value: unknown): unknown {
  if (value === undefined && verb === 'replace' && a.keptByReplace) return undefined;
  if (value === undefined || value === null) {
    if (verb === 'update') return value;
    return a.required === 'create' ? undefined : defaultOf(a);
  }
  return storedValue(a.inputType ?? a.type, verb, value);
}

/** Converts a checked value to the value to store. */
function storedValue(type: AttributeType, verb: InputVerb, value: unknown): unknown {
  switch (type.kind) {
    case 'time':
      return instantOf(value);
    case 'bytes':
      return Buffer.from(String(value), 'base64');
    case 'set':
    case 'references':
    case 'roles':
      return byteSorted(textsOf(value));
    case 'object':
      return storedObject(type, nestedVerb(verb, false), value);
    case 'objects':
      return Array.isArray(value)
        ? value.map((entry: unknown) => storedObject(type, nestedVerb(verb, true), entry))
        : value;
    default:
      return value;
  }
}

const storedObject = (
  { of }: Extract<AttributeType, { kind: 'object' | 'objects' }>,
  verb: InputVerb,
  value: unknown,
): object =>
  storedMembers(
    attributesOf(of()).filter((a) => isWritable(a, verb)),
    verb,
    isObject(value) ? value : {},
  );

/** The value of an absent member: its declared default, or the empty value of its kind. */
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

const storedChecks = new WeakMap<AttributeType, Validator>();

function storedCheckOf(type: AttributeType): Validator {
  const existing = storedChecks.get(type);
  if (existing) return existing;
  const validate = validatorOf(valueSchema(type, 'replace'));
  storedChecks.set(type, validate);
  return validate;
}

/**
 * The reason why a stored value violates the declaration of its attribute; undefined if it is
 * valid.
 */
export function storedFault(a: Attribute, value: unknown): string | undefined {
  if (value === null || value === undefined) {
    return a.nullable ? undefined : `${a.name} must not be null`;
  }
  // The check expects bytes as text, as in inputs.
  if (a.type.kind === 'bytes') return undefined;
  try {
    storedCheckOf(a.type)(value, a.name);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return error.detail.reason.replace(' in body', '');
  }
}
