import {
  attributesOf,
  type Attribute,
  type AttributeType,
  type InputVerb,
} from '../../src/kernel/declare/attribute.js';
import type { Catalog } from '../../src/kernel/declare/catalog.js';
import { nestedVerb, objectSchema, plainSchema } from '../../src/kernel/declare/input-schema.js';
import { upperFirst } from '../../src/base/names.js';
import type { Resource } from '../../src/kernel/declare/resource.js';
import { ref, type Schema } from '../../src/kernel/declare/rest-schema.js';
import { restAttributes, restEdges, restInputs, restName } from './view.js';

/** JSON schemas of bodies, from the declarations of the resources. */

export { ref };

/** Shared schemas. */
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

/** The schema of an object with declared members. */
export interface EntitySchema extends Schema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, Schema>>;
}

/** The schema of an entity in answers. */
export function entitySchema(resource: Resource, catalog: Catalog): EntitySchema {
  const attributes = restAttributes(resource);
  const edges = restEdges(resource);
  const required = attributes.filter((a) => a.omitEmpty !== true).map(restName);
  const always = edges.filter((e) => !e.nullable).map((e) => e.name);
  const links = resource.options.rest?.noLinks ? {} : { _links: ref('Links') };
  return {
    title: resource.options.rest?.title ?? resource.name,
    type: 'object',
    description: resource.options.description,
    required: [...Object.keys(links), ...required, ...always],
    properties: {
      ...links,
      ...Object.fromEntries(attributes.map((a) => [restName(a), attributeSchema(a)])),
      ...Object.fromEntries(
        edges.map((e) => [
          e.name,
          { allOf: [ref('EntityReference')], description: `The ${catalog.get(e.target).label}.` },
        ]),
      ),
    },
  };
}

/** The schema of the body of a create, replace or update. */
export function inputSchema(resource: Resource, verb: InputVerb): Schema {
  const attributes = restInputs(resource, verb);
  return {
    title: `${upperFirst(verb)}${resource.name}`,
    ...objectSchema(attributes, verb, inputMember),
  };
}

const inputMember = (a: Attribute, verb: InputVerb, isRequired: boolean): Schema =>
  described(typeSchema(a.inputType ?? a.type, verb), a, a.nullable === true || !isRequired);

const attributeSchema = (a: Attribute): Schema =>
  described(typeSchema(a.restShape?.type ?? a.type), a, a.nullable === true);

const described = (schema: Schema, a: Attribute, nullable: boolean): Schema => ({
  ...schema,
  description: a.description,
  ...(nullable ? { nullable: true } : {}),
});

/** The schema of a value without its description: for the input of `verb`, or for answers. */
const typeSchema = (type: AttributeType, verb?: InputVerb): Schema =>
  plainSchema(type, (shape, isEntry) =>
    verb
      ? objectSchema(attributesOf(shape), nestedVerb(verb, isEntry), inputMember)
      : readSchema(attributesOf(shape)),
  );

function readSchema(attributes: readonly Attribute[]): Schema {
  const required = attributes.filter((a) => a.omitEmpty !== true).map(restName);
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(attributes.map((a) => [restName(a), attributeSchema(a)])),
  };
}
