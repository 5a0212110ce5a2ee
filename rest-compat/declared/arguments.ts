import {
  astFromValue,
  getNullableType,
  isInputObjectType,
  print,
  type GraphQLArgument,
} from 'graphql';
import { isObject, type JsonObject } from '../../src/base/row.js';
import { STRING } from '../../src/kernel/declare/rest-schema.js';
import type {
  ArgumentSource,
  Parameter,
  RestOperation,
  RestRequest,
} from '../../src/kernel/graph/rest-operation.js';
import { PAGE_PARAMETERS, pageVariables } from '../engine/list-parameters.js';
import type { Body, FieldNames } from '../engine/rest-row.js';
import { isRequired } from './graph-schemas.js';
import { jsonBody, type PlacedArgument } from './json-body.js';
import { queryParameter, queryValue } from './query-values.js';

/** The arguments of a field: GraphQL texts, and the reader of their values in a request. */
export interface Arguments {
  /** `$id: ID!, …` for the head of the document; empty without arguments. */
  readonly head: string;
  /** `(id: $id, …)` for the field; empty without arguments. */
  readonly fieldArguments: string;
  readonly variables: (request: RestRequest) => JsonObject;
  readonly fieldNames: FieldNames;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
}

/** Arguments of pages that only clients of GraphQL use. */
const CURSORS = ['first', 'after', 'last', 'before'];

export function readArguments(
  declared: readonly GraphQLArgument[],
  operation: RestOperation,
): Arguments {
  const isPage = ['limit', 'offset'].every((name) => declared.some((a) => a.name === name));
  const placed = inDeclaredOrder(declared)
    .filter(({ name }) => !isPage || !CURSORS.includes(name))
    .map((a): PlacedArgument => [a, sourceOf(a, operation)])
    .filter(([, source]) => source !== 'default');
  const paging = isPage ? placed.filter(([a]) => isPaging(a)) : [];
  const selection = selectionArguments(operation);
  const others = [...placed.filter((one) => !paging.includes(one)), ...selection];
  const json = jsonBody(others, operation);
  const readers = others.map(([a, source]) => [a.name, readerOf(a, source)] as const);
  return {
    head: [...paging, ...others].map((one) => headOf(one[0], selection.includes(one))).join(', '),
    fieldArguments:
      placed.length === 0 ? '' : `(${placed.map(([{ name }]) => `${name}: $${name}`).join(', ')})`,
    parameters: [
      ...(isPage ? PAGE_PARAMETERS : []),
      ...others.flatMap(([a, source]) => parameterOf(a, source)),
      ...(operation.parameters ?? []),
    ],
    body: json?.body ?? operation.body,
    fieldNames: Object.fromEntries(
      others.map(([{ name }, source]) => [name, fieldOf(name, source)]),
    ),
    variables: (request) => {
      const variables: JsonObject = isPage ? pageVariables(request) : {};
      const checked = json ? { ...request, body: json.check(request.body) } : request;
      for (const [name, read] of readers) {
        const value = read(checked);
        if (value !== undefined) variables[name] = value;
      }
      return variables;
    },
  };
}

/**
 * Restores the order of declaration, required arguments first: the schema has the last argument of
 * a method first.
 */
const inDeclaredOrder = (declared: readonly GraphQLArgument[]): GraphQLArgument[] => [
  ...declared.toReversed().filter(isRequired),
  ...declared.toReversed().filter((a) => !isRequired(a)),
];

/** The arguments of nested fields, which are read from the query. */
const selectionArguments = ({ selectionArguments: named = {} }: RestOperation): PlacedArgument[] =>
  Object.entries(named).map(
    ([name, { type, description, default: defaultValue }]): PlacedArgument => [
      {
        name,
        type,
        description,
        defaultValue,
        deprecationReason: undefined,
        extensions: {},
        astNode: undefined,
      },
      { query: name },
    ],
  );

const isPaging = ({ name }: GraphQLArgument): boolean => name === 'limit' || name === 'offset';

function sourceOf(
  argument: GraphQLArgument,
  { path, method, arguments: named = {} }: RestOperation,
): ArgumentSource {
  const { name, type } = argument;
  const source = named[name];
  if (source !== undefined) return source;
  if (path.includes(`{${name}}`)) return { segment: name };
  if (method === 'GET') return { query: name };
  return isInputObjectType(getNullableType(type)) ? 'body' : { member: name };
}

/** The type of a variable; optional if the argument has a default. */
const variableType = ({ type, defaultValue }: GraphQLArgument): string =>
  String(defaultValue === undefined ? type : getNullableType(type));

/** A field knows the defaults of its arguments; a variable of the selection has its own. */
function headOf(argument: GraphQLArgument, isOfSelection: boolean): string {
  const { name, type, defaultValue } = argument;
  const value = isOfSelection && defaultValue !== undefined && astFromValue(defaultValue, type);
  return `$${name}: ${variableType(argument)}${value ? ` = ${print(value)}` : ''}`;
}

function readerOf(
  argument: GraphQLArgument,
  source: ArgumentSource,
): (request: RestRequest) => unknown {
  if (typeof source === 'function') return source;
  if (source === 'body') return ({ body }) => body;
  if (source === 'default') return () => undefined;
  if ('body' in source) return ({ body }) => source.body(body);
  if ('segment' in source) return ({ path }) => path[source.segment];
  if ('value' in source) return () => source.value;
  if ('member' in source) return ({ body }) => memberOf(body, source.member);
  if ('query' in source) return (request) => queryValue(source.query, argument, request);
  return ({ body, headers }) =>
    memberOf(body, argument.name) ?? nonEmptyText(headers[source.memberOrHeader]) ?? '';
}

/** The name of an argument in requests; the empty text is the whole body. */
function fieldOf(name: string, source: ArgumentSource): string {
  if (source === 'body') return '';
  if (typeof source !== 'object') return name;
  if ('body' in source) return '';
  if ('segment' in source) return source.segment;
  if ('member' in source) return source.member;
  return 'query' in source ? source.query : name;
}

const memberOf = (body: unknown, name: string): unknown =>
  isObject(body) ? body[name] : undefined;

const nonEmptyText = (text: unknown): string | undefined =>
  typeof text === 'string' && text !== '' ? text : undefined;

function parameterOf(argument: GraphQLArgument, source: ArgumentSource): Parameter[] {
  if (typeof source !== 'object') return [];
  if ('query' in source) return [queryParameter(source.query, argument)];
  if (!('memberOrHeader' in source)) return [];
  const { memberOrHeader: name, description } = source;
  return [{ name, in: 'header', description, schema: STRING }];
}
