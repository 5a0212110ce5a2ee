import type { GraphQLResolveInfo } from 'graphql';
import {
  compileOrder,
  compilePredicate,
  effectivePage,
  keysetAfter,
  keysetBefore,
  parseQuery,
  parseSort,
  reverseOrder,
  typedTerm,
  wherePredicate,
  type OrderTerm,
  type Query,
  type SortTerm,
  type SymbolTable,
  type WhereInput,
} from '../filter/index.js';
import { columnsFor, columnsOf } from './columns.js';
import type { RequestContext, Slices } from '../request/context.js';
import { decodeCursor, Page, type Window } from './connection.js';
import { failure, invalidField } from '../../base/errors.js';
import { filterSymbols, readable } from '../declare/permissions.js';
import { ALIAS, type PageRequest } from './page.js';
import { narrowingArguments, type RelationScope, type Resource } from '../declare/resource.js';
import { idOf, type JsonObject } from '../../base/row.js';
import type { SelectedEntity, SelectedOf } from '../declare/rows.js';
import { requested } from './selection.js';
import { and, column, raw, sql, TRUE, type Sql } from '../../base/sql.js';
import { scoped } from '../declare/symbols.js';
import { merged } from '../../base/merged.js';

/** One term of the typed order of a list. */
interface TypedOrder {
  readonly field: string;
  readonly key?: string | null;
  readonly direction?: 'asc' | 'desc' | null;
}

/** The arguments of every list of the graph. */
export interface ListArguments {
  readonly filter?: string | null;
  readonly where?: WhereInput | null;
  readonly orderBy?: readonly TypedOrder[] | null;
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly offset?: number | null;
  /** Page size by the rules of the REST interface, instead of `first`: clamped, -1 is unlimited. */
  readonly limit?: number | null;
  /** The text that follows `sort by`; a `sort by` in `filter` overrides it. */
  readonly sort?: string | null;
}

const DEFAULT_PAGE = 25;
const MAX_PAGE_SIZE = 500;
const SLICE = 500;

/** One page of a resource, narrowed to `scope`, as the arguments and the selection ask. */
export async function listPage(
  ctx: RequestContext,
  resource: Resource,
  scope: RelationScope | undefined,
  args: ListArguments,
  info: GraphQLResolveInfo,
): Promise<Page> {
  const symbols = filterSymbols(ctx, resource);
  const query = args.filter ? parseQuery(args.filter) : {};
  const options = ownArguments(resource, args);
  const condition = conditions(
    visibleTo(ctx, resource),
    narrowing(resource, options),
    userPredicate(query, args, symbols),
  );
  const { slices, ...window } = sliced(windowOf(query, args), ctx.slices);
  const order = orderOf(query, args, symbols);
  const selected = pageSelection(info, window);
  const total = selected.total ? totalOf(ctx, resource, scope, condition) : 0;
  const read = await ctx.reader.page({
    resource,
    columns: columnsFor(resource, requested(info, ['nodes'], ['edges', 'node']), ctx.catalog, info),
    predicate: scope ? conditions(scope.predicate, condition) : condition,
    ...beyondCursor(args, slices, order),
    order: window.backwards ? reverseOrder(order) : order,
    limit: rowsToRead(ctx, window, selected),
    offset: window.offset,
    total: total === 'sql' ? 'sql' : 'none',
    cursors: selected.cursors,
  });
  if (window.limit === 'none') refuseTooManyRows(ctx, read.rows.length);
  const count = total === 'sql' ? read.total : total;
  const page = new Page(read.rows, count ?? 0, window, order.length, args);
  if (slices) slices.after = page.next;
  return page;
}

/**
 * Reads one row more than shown, which tells whether a page follows and whether a list is too long;
 * no rows if only the total is selected.
 */
function rowsToRead(
  { mostRows }: RequestContext,
  { limit }: Window,
  { rows, next }: Pick<ReturnType<typeof pageSelection>, 'rows' | 'next'>,
): number | 'none' {
  if (!rows) return 0;
  if (limit !== 'none') return limit + Number(next);
  return mostRows === undefined ? 'none' : mostRows + 1;
}

/** @throws ApiError QUERY_TOO_COMPLEX where an unlimited list is too long to be read at once */
function refuseTooManyRows({ mostRows = Infinity }: RequestContext, rows: number): void {
  if (rows <= mostRows) return;
  throw failure(
    'QUERY_TOO_COMPLEX',
    `a list without a limit has more than ${String(mostRows)} entries, which is the most that may be read at once with these fields: read it by pages (first and after), or from the REST interface`,
  );
}

/**
 * The ids of all matching rows of a resource, visible to the caller or not; undefined without a
 * condition.
 */
export async function idsMatching(
  ctx: RequestContext,
  resource: Resource,
  args: Pick<ListArguments, 'filter' | 'where'>,
  /** The name of the argument in error texts. */
  name = 'filter',
): Promise<string[] | undefined> {
  const query = args.filter ? parseQuery(args.filter) : {};
  if (query.sort ?? query.skip ?? query.limit) {
    throw invalidField(name, 'a condition alone, without sort, skip and limit', args.filter);
  }
  const condition = userPredicate(query, args, filterSymbols(ctx, resource))(ALIAS);
  if (condition === TRUE) return undefined;
  const rows = await ctx.store.query(
    sql<SelectedEntity>`select ${column(ALIAS, 'id')} from ${raw(`"${resource.table}"`)} ${raw(`"${ALIAS}"`)}
      where ${scoped(resource, ALIAS, condition)}`,
  );
  return rows.map(idOf);
}

/**
 * The rows of a resource that a filter text selects, visible to the caller or not, with these attributes.
 * Without a limit in the text these are all.
 */
export async function filteredRows<N extends string>(
  ctx: RequestContext,
  resource: Resource<N>,
  filter: string,
  attributes: readonly string[],
): Promise<SelectedOf<N>[]> {
  const query = filter.trim() === '' ? {} : parseQuery(filter);
  const symbols = filterSymbols(ctx, resource);
  const { rows } = await ctx.reader.page({
    resource,
    columns: columnsOf(resource, attributes, [], ctx.catalog),
    predicate: userPredicate(query, {}, symbols),
    order: orderOf(query, {}, symbols),
    ...effectivePage({ limit: -1 }, query),
    total: 'none',
    cursors: false,
  });
  return rows;
}

function visibleTo(ctx: RequestContext, resource: Resource): Condition {
  const visible = readable(ctx, resource);
  if (!visible) throw failure('UNAUTHORIZED');
  return visible;
}

interface SlicedWindow extends Window {
  /** It starts at the start of the list. */
  readonly isFirst: boolean;
}

/**
 * The parts of a page that the document selects beside its rows. A slice always needs the start of
 * the next.
 */
function pageSelection(info: GraphQLResolveInfo, { isFirst, isSlice = false }: SlicedWindow) {
  const { fields } = requested(info);
  const next = isSlice || fields.has('pageInfo');
  return {
    next,
    rows: next || fields.has('nodes') || fields.has('edges'),
    cursors: next || fields.has('edges'),
    total: isFirst && (fields.has('totalCount') || fields.has('pagination')),
  };
}

/** The next slice of an unlimited list that is read in slices; other windows stay as they are. */
function sliced(
  window: Window,
  slices: Slices | undefined,
): SlicedWindow & { readonly slices?: Slices } {
  if (!slices || window.limit !== 'none') return { isFirst: true, ...window };
  const isFirst = slices.after === undefined;
  // The offset counts from the start of the list, so it applies to the first slice alone.
  const offset = isFirst ? window.offset : 0;
  return merged(window, { limit: SLICE, offset, isSlice: true, isFirst, slices });
}

type Condition = (alias: string) => Sql;

const conditions =
  (...parts: readonly Condition[]): Condition =>
  (alias) =>
    and(...parts.map((part) => part(alias)));

/** Gives the total of an unfiltered list from memory if it is there, else `sql`. */
function totalOf(
  ctx: RequestContext,
  resource: Resource,
  scope: RelationScope | undefined,
  condition: Condition,
): number | 'sql' {
  if (condition(ALIAS) !== TRUE) return 'sql';
  return (scope ? scope.total?.() : ctx.modules.totals.count(resource)) ?? 'sql';
}

/** The sent arguments that the resource declares itself. */
function ownArguments(resource: Resource, args: ListArguments): JsonObject {
  const sentArguments = args as JsonObject;
  return Object.fromEntries(
    narrowingArguments(resource)
      .filter(({ name }) => sentArguments[name] !== undefined && sentArguments[name] !== null)
      .map(({ name }) => [name, sentArguments[name]]),
  );
}

function narrowing(resource: Resource, options: JsonObject): (alias: string) => Sql {
  const predicates = narrowingArguments(resource).flatMap(({ name, predicate }) =>
    predicate && options[name] !== undefined ? [predicate] : [],
  );
  return (alias) => and(...predicates.map((p) => p(options, alias)));
}

function userPredicate(
  query: Query,
  args: ListArguments,
  symbols: SymbolTable,
): (alias: string) => Sql {
  const predicates = [
    ...(query.predicate ? [query.predicate] : []),
    ...(args.where ? [wherePredicate(args.where, symbols)] : []),
  ];
  const [first] = predicates;
  if (!first) return () => TRUE;
  // Compiled per alias; an unknown name is refused even if no row is read.
  const compiled = new Map<string, Sql>();
  return (alias) => {
    const cachedSql = compiled.get(alias);
    const compiledSql =
      cachedSql ?? and(...predicates.map((p) => compilePredicate(p, symbols, alias)));
    compiled.set(alias, compiledSql);
    return compiledSql;
  };
}

/**
 * The window of a list: by REST rules if `limit` or a clause of the filter text is given, else by
 * those of the graph.
 */
export function windowOf(query: Query, args: ListArguments): Window {
  const { limit, first, last, offset } = pagingArguments(args);
  if (last !== undefined && first !== undefined) {
    throw invalidField('last', 'first and last exclude each other', last);
  }
  refuseTwoPages(query, { limit, first, last });
  if ([limit, query.limit, query.skip].some((value) => value !== undefined)) {
    return { backwards: false, ...effectivePage({ limit: limit ?? first, offset }, query) };
  }
  if (offset !== undefined && offset < 0) {
    throw invalidField('offset', 'offset must not be negative', offset);
  }
  return {
    limit: last === undefined ? pageSize('first', first) : pageSize('last', last),
    offset: offset ?? 0,
    backwards: last !== undefined,
  };
}

/** Refuses two different sizes for one page. */
function refuseTwoPages(
  query: Query,
  { limit, first, last }: Pick<ReturnType<typeof pagingArguments>, 'limit' | 'first' | 'last'>,
): void {
  const [name, size] = last === undefined ? (['first', first] as const) : (['last', last] as const);
  if (size === undefined) return;
  if (query.limit !== undefined) {
    throw invalidField(name, `the limit in the filter and ${name} exclude each other`, size);
  }
  if (limit !== undefined) throw invalidField(name, `limit and ${name} exclude each other`, size);
  if (query.skip !== undefined && name === 'last') {
    throw invalidField(name, 'the skip in the filter and last exclude each other', size);
  }
}

/** The paging arguments; null counts as absent. */
const pagingArguments = (args: ListArguments) => ({
  limit: args.limit ?? undefined,
  first: args.first ?? undefined,
  last: args.last ?? undefined,
  offset: args.offset ?? undefined,
});

function pageSize(name: 'first' | 'last', size = DEFAULT_PAGE): number {
  if (size >= 0 && size <= MAX_PAGE_SIZE) return size;
  throw invalidField(name, `${name} must be between 0 and ${String(MAX_PAGE_SIZE)}`, size);
}

function orderOf(query: Query, args: ListArguments, symbols: SymbolTable): OrderTerm[] {
  return compileOrder(sortTerms(query, args), symbols, 'e');
}

function sortTerms(query: Query, args: ListArguments): readonly SortTerm[] {
  if (query.sort) return query.sort;
  if (args.sort) return parseSort(args.sort);
  return (args.orderBy ?? []).map(({ field, key, direction }) =>
    typedTerm(field.replaceAll('__', '.'), key ?? undefined, direction ?? 'asc'),
  );
}

function beyondCursor(
  args: ListArguments,
  slices: Slices | undefined,
  order: readonly OrderTerm[],
): Pick<PageRequest, 'beyond'> {
  const startCursor = slices?.after ?? args.after;
  const after = startCursor
    ? keysetAfter(order, decodeCursor('after', startCursor, order.length))
    : TRUE;
  const before = args.before
    ? keysetBefore(order, decodeCursor('before', args.before, order.length))
    : TRUE;
  const both = and(after, before);
  return both === TRUE ? {} : { beyond: () => both };
}
