import { pageNumber } from '../../src/kernel/filter/index.js';
import type { JsonObject } from '../../src/base/row.js';
import {
  narrowingArguments,
  type ListArgument,
  type Resource,
} from '../../src/kernel/declare/resource.js';
import type { Connection, Parameter, RestRequest } from './rest-row.js';

/**
 * Reads `limit`, `offset`, `filter`, `sort` and the arguments of the resource as variables of a
 * list.
 */

const MAX_INT32 = 2_147_483_647;

/** Clamps to the range of GraphQL's `Int`; the paging rules clamp further. */
const clamped = (value: number): number => Math.max(-MAX_INT32, Math.min(MAX_INT32, value));

/** The last value of a query parameter; undefined if it is absent or blank. */
export function queryText({ query }: RestRequest, name: string): string | undefined {
  const text = query.get(name)?.at(-1);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Reads `limit` and `offset`. */
export function pageVariables({ query }: RestRequest): JsonObject {
  const limit = pageNumber('limit', query.get('limit')?.at(-1));
  const offset = pageNumber('offset', query.get('offset')?.at(-1));
  const variables: JsonObject = { limit: clamped(limit ?? 0) };
  if (offset !== undefined) variables.offset = clamped(offset);
  return variables;
}

export function listVariables(resource: Resource, request: RestRequest): JsonObject {
  const variables = pageVariables(request);
  for (const name of ['filter', 'sort']) {
    const text = queryText(request, name);
    if (text !== undefined) variables[name] = text;
  }
  return Object.assign(variables, ownVariables(resource, request));
}

/** Reads the arguments that the listed resource declares. */
function ownVariables(resource: Resource, { query }: RestRequest): JsonObject {
  return Object.fromEntries(
    (resource.options.listArguments ?? []).flatMap(({ name, isList }): [string, unknown][] => {
      const values = query.get(name);
      return values?.length ? [[name, isList ? values : values.at(-1)]] : [];
    }),
  );
}

const COMMON = [
  ['filter', 'String'],
  ['limit', 'Int'],
  ['offset', 'Int'],
  ['sort', 'String'],
] as const;

/** `$filter: String, …` for the head of a document. */
export const listHead = (resource: Resource): string =>
  [...COMMON, ...declaredArguments(resource)].map(([name, type]) => `$${name}: ${type}`).join(', ');

/** `filter: $filter, …` for the field. */
export const listArguments = (resource: Resource): string =>
  [...COMMON, ...typed(narrowingArguments(resource))]
    .map(([name]) => `${name}: $${name}`)
    .join(', ');

const declaredArguments = (resource: Resource): (readonly [string, string])[] =>
  typed(resource.options.listArguments ?? []);

const typed = (parameters: readonly ListArgument[]): (readonly [string, string])[] =>
  parameters.map(({ name, isList }) => [name, isList ? '[String!]' : 'String']);

const queryParameter = (name: string, type: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  schema: { type },
});

export const PAGE_PARAMETERS: readonly Parameter[] = [
  queryParameter('limit', 'integer', 'Page size: default 10, at most 500, -1 is unlimited.'),
  queryParameter('offset', 'integer', 'Number of rows to skip.'),
];

export function listParameters(resource: Resource): Parameter[] {
  const query = queryParameter;
  return [
    ...PAGE_PARAMETERS,
    query('filter', 'string', 'Condition in the filter language.'),
    query('sort', 'string', 'Order: `name asc, createdAt desc`.'),
    ...(resource.options.listArguments ?? []).map(({ name, isList, description }): Parameter => ({
      name,
      in: 'query',
      description,
      schema: isList ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
    })),
  ];
}

/** The list `page` below a parent; null when the parent is missing. */
export const nestedPage = (result: { page: Connection } | null): Connection | null =>
  result?.page ?? null;
