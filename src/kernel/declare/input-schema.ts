import type { JsonSchema } from '../../base/json-schema.js';
import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
  type AttributeType,
  type InputVerb,
  type Shape,
} from './attribute.js';

/*
 * JSON schemas of the inputs of writes, from the declared attributes. Documents show the plain
 * schemas. The schemas for checks also have the keywords of the validator.
 */

/**
 * Gives the schema of a nested object. A list entry is always written as a whole, also by an
 * update.
 */
type NestedSchema = (shape: Shape, isEntry: boolean) => JsonSchema;

const TEXTS: JsonSchema = { type: 'array', items: { type: 'string' } };

/** Schemas of the kinds without options. */
const PLAIN: Readonly<Partial<Record<AttributeType['kind'], JsonSchema>>> = {
  bool: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  map: { type: 'object', additionalProperties: {} },
  json: {},
  bytes: { type: 'string', format: 'byte' },
  set: TEXTS,
  references: TEXTS,
  roles: TEXTS,
};

/** The schema of a value as documents show it; `nested` gives the schemas of nested objects. */
export function plainSchema(type: AttributeType, nested: NestedSchema): JsonSchema {
  switch (type.kind) {
    case 'int':
      return {
        type: 'integer',
        ...(type.min === undefined ? {} : { minimum: type.min }),
        ...(type.max === undefined ? {} : { maximum: type.max }),
      };
    case 'enum':
      return { type: 'string', enum: [...type.values] };
    case 'list':
      return { type: 'array', items: plainSchema(type.of, nested) };
    case 'object':
      return nested(type.of(), false);
    case 'objects':
      return { type: 'array', items: nested(type.of(), true) };
    default:
      return PLAIN[type.kind] ?? { type: 'string' };
  }
}

/**
 * Create and replace need all required members of a nested object; an update may send any of them.
 */
export const nestedVerb = (verb: InputVerb, isEntry: boolean): InputVerb =>
  verb === 'update' && !isEntry ? 'update' : 'replace';

const isRequired = (a: Attribute, verb: InputVerb): boolean =>
  verb !== 'update' && (a.required === true || (a.required === 'create' && verb === 'create'));

/** The schema of an object with these attributes; `member` gives the schema of each. */
export function objectSchema(
  attributes: readonly Attribute[],
  verb: InputVerb,
  member: (a: Attribute, verb: InputVerb, isRequired: boolean) => JsonSchema,
): JsonSchema {
  const required = attributes.filter((a) => isRequired(a, verb));
  return {
    type: 'object',
    ...(required.length > 0 ? { required: required.map(inputNameOf) } : {}),
    properties: Object.fromEntries(
      attributes.map((a) => [inputNameOf(a), member(a, verb, isRequired(a, verb))]),
    ),
  };
}

const STORABLE_TEXTS: JsonSchema = { items: { type: 'string', storable: true } };

type MapValues = NonNullable<Extract<AttributeType, { kind: 'map' }>['values']>;

const MAP_VALUES: Readonly<Record<MapValues, JsonSchema>> = {
  tag: { type: ['null', 'string', 'number', 'boolean'] },
  cost: { type: 'integer', minimum: 0, maximum: 65535 },
  precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
};

type RulesOf<K extends AttributeType['kind']> = (
  type: Extract<AttributeType, { kind: K }>,
) => JsonSchema;

/** Keywords that are checked beyond the plain schema. */
const RULES: { readonly [K in AttributeType['kind']]?: RulesOf<K> } = {
  text: ({ min, max }) => ({ storable: true, minLength: min, maxLength: max }),
  reference: () => ({ storable: true }),
  int: ({ min = -2147483648, max = 2147483647 }) => ({ minimum: min, maximum: max }),
  // GraphQL passes a `Date`.
  time: () => ({ type: ['string', 'object'] }),
  map: ({ values }) => ({
    storableMap: true,
    additionalProperties: values === undefined ? {} : MAP_VALUES[values],
  }),
  json: () => ({ storableJson: true }),
  set: ({ of }) => ({ ...STORABLE_TEXTS, ...(of === 'attribute' ? { unprefixed: true } : {}) }),
  references: () => STORABLE_TEXTS,
  roles: () => STORABLE_TEXTS,
};

/** The cast is safe: the key of the table is the kind of the type that the rule gets. */
const rulesOf = (type: AttributeType): JsonSchema =>
  (RULES[type.kind] as RulesOf<AttributeType['kind']> | undefined)?.(type) ?? {};

/** The schema that checks a value of an input. */
export const valueSchema = (type: AttributeType, verb: InputVerb): JsonSchema => ({
  ...plainSchema(type, (shape, isEntry) =>
    inputSchema(attributesOf(shape), nestedVerb(verb, isEntry)),
  ),
  ...rulesOf(type),
});

/** Refuses an empty id in a required reference, since no entity has an empty id. */
const referenceRules = ({ required, type, missingField }: Attribute): JsonSchema =>
  required === undefined || type.kind !== 'reference' ? {} : { notEmpty: missingField ?? true };

const memberSchema = (a: Attribute, verb: InputVerb): JsonSchema => ({
  ...valueSchema(a.inputType ?? a.type, verb),
  ...referenceRules(a),
  ...(a.onlyIf ? { onlyIf: a.onlyIf } : {}),
});

/**
 * The schema that checks an input. Null clears a value in GraphQL updates; elsewhere it counts as
 * absent.
 */
export function inputSchema(attributes: readonly Attribute[], verb: InputVerb): JsonSchema {
  const writable = attributes.filter((a) => isWritable(a, verb));
  const notNull = writable.filter((a) => a.nullable !== true).map(inputNameOf);
  return {
    ...objectSchema(writable, verb, memberSchema),
    ...(verb === 'update' ? { notNull } : {}),
  };
}
