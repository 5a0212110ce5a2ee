import { byteSorted } from '../../base/byte-order.js';
import { ApiError } from '../../base/errors.js';
import { isObject, textsOf, type JsonObject } from '../../base/row.js';
import { instantOf } from '../../base/schema-keywords.js';
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

/** What one verb takes of a resource. */
interface InputCheck {
  readonly attributes: readonly Attribute[];
  readonly validate: Validator;
  readonly faultsOf: (input: unknown) => unknown[];
}

const checks = new WeakMap<Resource, Map<InputVerb, InputCheck>>();

function checkOf(resource: Resource, verb: InputVerb): InputCheck {
  const ofResource = checks.get(resource) ?? new Map<InputVerb, InputCheck>();
  checks.set(resource, ofResource);
  const existing = ofResource.get(verb);
  if (existing) return existing;
  const attributes = [...resource.attributes.values()].filter((a) => isWritable(a, verb));
  const schema = inputSchema(attributes, verb);
  const check = { attributes, validate: validatorOf(schema), faultsOf: faultsOf(schema) };
  ofResource.set(verb, check);
  return check;
}

/**
 * Checks the shape of an input and gives the values to store, by attribute name.
 * Refuses the first fault in the order of declaration: 400 with the member's path, a reason and the value.
 * Create and replace fill in defaults; update gives only what was sent.
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

/** Why an input is refused: the first fault of each of its members. */
export const inputFaults = (resource: Resource, verb: InputVerb, input: JsonObject): unknown[] =>
  checkOf(resource, verb).faultsOf(input);

/** Consoles send the members of every kind at once. */
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

/** Null counts as absent but in updates of the graph, where it clears. */
function storedMember(a: Attribute, verb: InputVerb, value: unknown): unknown {
  if (value === undefined || value === null) {
    if (verb === 'update') return value;
    return a.required === 'create' ? undefined : defaultOf(a);
  }
  return storedValue(a.inputType ?? a.type, verb, value);
}

/** The value to store for one that conforms. */
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

const storedChecks = new WeakMap<AttributeType, Validator>();

function storedCheckOf(type: AttributeType): Validator {
  const existing = storedChecks.get(type);
  if (existing) return existing;
  const validate = validatorOf(valueSchema(type, 'replace'));
  storedChecks.set(type, validate);
  return validate;
}

/** Why the declaration of a stored attribute does not allow its value, if so. */
export function storedFault(a: Attribute, value: unknown): string | undefined {
  if (value === null || value === undefined) {
    return a.nullable ? undefined : `${a.name} must not be null`;
  }
  // Inputs have them as text.
  if (a.type.kind === 'bytes') return undefined;
  try {
    storedCheckOf(a.type)(value, a.name);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return error.detail.reason.replace(' in body', '');
  }
}
