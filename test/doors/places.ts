import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import type { Body, RestRow, Schema } from '../../rest-compat/engine/rest-row.js';
import { BASE_PATHS } from '../../src/base/interface-paths.js';
import {
  attributesOf,
  inputNameOf,
  isWritable,
  type Attribute,
} from '../../src/kernel/declare/attribute.js';
import { allRestRows } from '../support/graph.js';

const REST_ROWS = await allRestRows();

/* Every place at which a client can send a value, found in what the doors declare. */

/** A place in a document: names of members, and 0 for the first entry of a list. */
export type Path = readonly (string | 0)[];

/** Deeper shapes than this are not declared by resources. */
const LEVELS = 4;

/** JSON with a value at a place, and nothing beside it. */
export const jsonWith = (path: Path, value: string): string =>
  path.reduceRight<string>(
    (below, step) => (step === 0 ? `[${below}]` : `{${JSON.stringify(step)}:${below}}`),
    value,
  );

export interface RestPlace {
  readonly method: string;
  readonly url: string;
  readonly row: RestRow;
  readonly path: Path;
}

/** The body as a whole and every member of it, of every row that takes one. */
export function restPlaces(): RestPlace[] {
  return REST_ROWS.flatMap((row) =>
    row.body === undefined
      ? []
      : row.on.flatMap((on) =>
          bodyPaths(row.body as Body).map((path) => ({
            method: row.method,
            url: BASE_PATHS[on] + row.path.replaceAll(/\{\w+\}/g, 'x'),
            row,
            path,
          })),
        ),
  );
}

function bodyPaths(body: Body): Path[] {
  if (body.kind === 'text') return [[]];
  if (body.kind !== 'input') return [[], ...schemaPaths(body.schema)];
  const { resource, verb } = body;
  const writable = [...resource.attributes.values()].filter((a) => isWritable(a, verb));
  return [[], ...writable.flatMap((a) => attributePaths(a, LEVELS))];
}

function attributePaths(a: Attribute, levels: number): Path[] {
  const type = a.inputType ?? a.type;
  const own: Path = [inputNameOf(a)];
  const inner: Path = type.kind === 'objects' || type.kind === 'set' ? [...own, 0] : own;
  const paths = inner === own ? [own] : [own, inner];
  if (type.kind === 'map') return [...paths, [...own, 'member']];
  if ((type.kind !== 'object' && type.kind !== 'objects') || levels === 0) return paths;
  const below = attributesOf(type.of()).flatMap((member) => attributePaths(member, levels - 1));
  return [...paths, ...below.map((path) => [...inner, ...path])];
}

function schemaPaths(schema: Schema): Path[] {
  const items = schema.items as Schema | undefined;
  if (items) return [[0], ...schemaPaths(items).map((path): Path => [0, ...path])];
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return members.flatMap(([name, member]) => [
    [name],
    ...schemaPaths(member).map((path): Path => [name, ...path]),
  ]);
}

export interface GraphPlace {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly field: string;
  /** Takes the value of one argument as `$v`. */
  readonly document: string;
  readonly path: Path;
}

/** Every argument of every operation as a variable, and every member of every input. */
export function graphPlaces(): GraphPlace[] {
  const seen = new Set<string>();
  const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, root]) =>
    Object.values((root as GraphQLObjectType).getFields()).flatMap((field) =>
      field.args.flatMap((argument) =>
        inputPaths(argument.type, seen).map((path) => ({
          kind,
          field: field.name,
          document: documentOf(kind, field, argument),
          path: ['v', ...path],
        })),
      ),
    ),
  );
}

function documentOf(
  kind: string,
  field: GraphQLField<unknown, unknown>,
  argument: GraphQLArgument,
): string {
  const selection = isCompositeType(getNamedType(field.type)) ? ' { __typename }' : '';
  return `${kind} ($v: ${String(argument.type)}) { ${field.name}(${argument.name}: $v)${selection} }`;
}

/** The members of a type are visited where it is met first; inputs contain themselves. */
function inputPaths(type: GraphQLInputType, seen: Set<string>): Path[] {
  if (isNonNullType(type)) return inputPaths(type.ofType, seen);
  if (isListType(type)) {
    return [[], ...inputPaths(type.ofType, seen).map((path): Path => [0, ...path])];
  }
  if (!isInputObjectType(type) || seen.has(type.name)) return [[]];
  seen.add(type.name);
  const below = Object.values(type.getFields()).flatMap((field) =>
    inputPaths(field.type, seen).map((path): Path => [field.name, ...path]),
  );
  return [[], ...below];
}
