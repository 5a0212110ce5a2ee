import { pageNumber } from '../../src/filter/index.js';
import type { JsonObject } from '../../src/base/row.js';
import {
  narrowingArguments,
  type ListArgument,
  type Resource,
} from '../../src/kernel/declare/resource.js';
import type { Connection, Parameter, RestRequest } from './rest-row.js';

/** `limit`, `offset`, `filter`, `sort` and what the listed resource adds, as variables of a list. */

const LARGEST = 2_147_483_647;

/** Beyond what GraphQL takes for a number the paging rules clamp anyway. */
const clamped = (value: number): number => Math.max(-LARGEST, Math.min(LARGEST, value));

/** The last value of a query parameter; undefined for one without a value too. */
export function queryText({ query }: RestRequest, name: string): string | undefined {
  const text = query.get(name)?.at(-1);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** `limit` and `offset` alone. */
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

/** Arguments that the listed resource declares for itself. */
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
  [...COMMON, ...own(resource)].map(([name, type]) => `$${name}: ${type}`).join(', ');

/** `filter: $filter, …` for the field. */
export const listArguments = (resource: Resource): string =>
  [...COMMON, ...typed(narrowingArguments(resource))]
    .map(([name]) => `${name}: $${name}`)
    .join(', ');

const own = (resource: Resource): (readonly [string, string])[] =>
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
  queryParameter('offset', 'integer', 'Rows to leave out first.'),
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

/** A list below a parent that a document asks for as `page`; null when the parent is missing. */
export const nestedPage = (result: { page: Connection } | null): Connection | null =>
  result?.page ?? null;
