import {
  attributesOf,
  inputNameOf,
  type Attribute,
  type AttributeType,
  type InputVerb,
} from '../../src/kernel/declare/attribute.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { upperFirst } from '../../src/base/names.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import { ref, type Schema } from '../../src/kernel/declare/rest-schema.js';
import { restAttributes, restEdges, restInputs } from './view.js';

/** JSON schemas of bodies, from the declarations of the resources. */

export { ref };

/** Schemas that many bodies share. */
export const SHARED_SCHEMAS: Readonly<Record<string, Schema>> = {
  Link: {
    type: 'object',
    required: ['href'],
    properties: {
      href: { type: 'string' },
      comment: { type: 'string' },
      method: { type: 'string' },
    },
  },
  Links: { type: 'object', additionalProperties: ref('Link') },
  EntityReference: {
    type: 'object',
    required: ['_links', 'entity', 'id', 'name'],
    properties: {
      _links: ref('Links'),
      entity: { type: 'string' },
      id: { type: 'string' },
      name: { type: 'string' },
    },
  },
};

/** An object whose members are known. */
export interface EntitySchema extends Schema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
}

/** The body of an entity as it is read. */
export function entitySchema(resource: Resource, catalog: Catalog): EntitySchema {
  const attributes = restAttributes(resource);
  const edges = restEdges(resource);
  const required = attributes.filter((a) => a.omitEmpty !== true).map((a) => a.name);
  const always = edges.filter((e) => !e.nullable).map((e) => e.name);
  return {
    title: resource.name,
    type: 'object',
    description: resource.options.description,
    required: ['_links', ...required, ...always],
    properties: {
      _links: ref('Links'),
      ...Object.fromEntries(attributes.map((a) => [a.name, attributeSchema(a)])),
      ...Object.fromEntries(
        edges.map((e) => [
          e.name,
          { allOf: [ref('EntityReference')], description: `The ${catalog.get(e.target).label}.` },
        ]),
      ),
    },
  };
}

/** The body of a create, replace or update. */
export function inputSchema(resource: Resource, verb: InputVerb): Schema {
  const attributes = restInputs(resource, verb);
  return {
    title: `${upperFirst(verb)}${resource.name}`,
    ...objectSchema(attributes, verb, inputNameOf),
  };
}

function objectSchema(
  attributes: readonly Attribute[],
  verb: InputVerb,
  nameOf: (a: Attribute) => string,
): Schema {
  const required =
    verb === 'update'
      ? []
      : attributes.filter(
          (a) => a.required === true || (a.required === 'create' && verb === 'create'),
        );
  return {
    type: 'object',
    ...(required.length > 0 ? { required: required.map(nameOf) } : {}),
    properties: Object.fromEntries(
      attributes.map((a) => {
        const optional = !required.includes(a);
        const schema = typeSchema(a.inputType ?? a.type, verb);
        return [nameOf(a), described(schema, a, a.nullable === true || optional)];
      }),
    ),
  };
}

const attributeSchema = (a: Attribute): Schema =>
  described(typeSchema(a.restShape?.type ?? a.type), a, a.nullable === true);

const described = (schema: Schema, a: Attribute, nullable: boolean): Schema => ({
  ...schema,
  description: a.description,
  ...(nullable ? { nullable: true } : {}),
});

/** Schemas of the kinds that have no parts. */
const PLAIN: Readonly<Partial<Record<AttributeType['kind'], Schema>>> = {
  bool: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  map: { type: 'object', additionalProperties: {} },
  json: {},
  bytes: { type: 'string', format: 'byte' },
  set: { type: 'array', items: { type: 'string' } },
  references: { type: 'array', items: { type: 'string' } },
  roles: { type: 'array', items: { type: 'string' } },
};

/** The schema of a value, without its description. */
export function typeSchema(type: AttributeType, verb?: InputVerb): Schema {
  switch (type.kind) {
    case 'int':
      return {
        type: 'integer',
        ...(type.min === undefined ? {} : { minimum: type.min }),
        ...(type.max === undefined ? {} : { maximum: type.max }),
      };
    case 'enum':
      return { type: 'string', enum: [...type.values] };
    case 'object':
      return nestedSchema(type.of(), verb);
    case 'objects':
      return { type: 'array', items: nestedSchema(type.of(), verb && 'replace') };
    default:
      return PLAIN[type.kind] ?? { type: 'string' };
  }
}

function nestedSchema(
  shape: Parameters<typeof attributesOf>[0],
  verb: InputVerb | undefined,
): Schema {
  const attributes = attributesOf(shape);
  if (verb) return objectSchema(attributes, verb, (a) => a.name);
  const nameOf = (a: Attribute): string => a.restName ?? a.name;
  const required = attributes.filter((a) => a.omitEmpty !== true).map(nameOf);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(attributes.map((a) => [nameOf(a), attributeSchema(a)])),
  };
}
