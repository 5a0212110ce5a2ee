import {
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import { isObject } from '../../src/base/row.js';

/** What an input may be, as OpenAPI and GraphQL both say it. */
export type Shape =
  | { readonly kind: 'text' | 'int' | 'float' | 'bool' | 'time' | 'bytes' | 'map' | 'any' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'list'; readonly of: Shape }
  | {
      readonly kind: 'object';
      readonly title: string;
      /** Asked for when needed: inputs of GraphQL contain themselves. */
      readonly members: () => readonly Member[];
    };

export interface Member {
  readonly name: string;
  readonly shape: Shape;
  readonly isRequired: boolean;
}

type JsonSchema = Readonly<Record<string, unknown>>;

const FORMATS: Readonly<Record<string, Shape>> = {
  'date-time': { kind: 'time' },
  byte: { kind: 'bytes' },
};
const TYPES: Readonly<Record<string, Shape>> = {
  string: { kind: 'text' },
  integer: { kind: 'int' },
  number: { kind: 'float' },
  boolean: { kind: 'bool' },
};

/** The shape that a schema of an OpenAPI document describes. */
export function shapeOfSchema(schema: JsonSchema, schemas: JsonSchema, title = ''): Shape {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return shapeOfSchema(schemas[name] as JsonSchema, schemas, name);
  }
  if (Array.isArray(schema.enum)) return { kind: 'enum', values: schema.enum as string[] };
  if (isObject(schema.properties)) return objectOf(schema, schemas, title);
  if (schema.type === 'object') return { kind: 'map' };
  if (isObject(schema.items)) {
    return { kind: 'list', of: shapeOfSchema(schema.items, schemas, title) };
  }
  return FORMATS[String(schema.format)] ?? TYPES[String(schema.type)] ?? { kind: 'any' };
}

function objectOf(schema: JsonSchema, schemas: JsonSchema, title: string): Shape {
  const required = (schema.required ?? []) as string[];
  const members = Object.entries(schema.properties as Record<string, JsonSchema>).map(
    ([name, member]): Member => ({
      name,
      shape: shapeOfSchema(member, schemas, title),
      isRequired: required.includes(name),
    }),
  );
  return { kind: 'object', title, members: () => members };
}

const SCALARS: Readonly<Record<string, Shape>> = {
  String: { kind: 'text' },
  ID: { kind: 'text' },
  Int: { kind: 'int' },
  Float: { kind: 'float' },
  Boolean: { kind: 'bool' },
  DateTime: { kind: 'time' },
  JSONObject: { kind: 'map' },
};

/** The shape of an input type of GraphQL. */
export function shapeOfInput(type: GraphQLInputType): Shape {
  if (isNonNullType(type)) return shapeOfInput(type.ofType);
  if (isListType(type)) return { kind: 'list', of: shapeOfInput(type.ofType) };
  if (isEnumType(type)) {
    return { kind: 'enum', values: type.getValues().map(({ name }) => name) };
  }
  if (!isInputObjectType(type)) return SCALARS[type.name] ?? { kind: 'any' };
  let members: readonly Member[] | undefined;
  return {
    kind: 'object',
    title: type.name,
    members: () =>
      (members ??= Object.values(type.getFields()).map((field) => ({
        name: field.name,
        shape: shapeOfInput(field.type),
        isRequired: isNonNullType(field.type) && field.defaultValue === undefined,
      }))),
  };
}
