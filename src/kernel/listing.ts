import type { GraphQLResolveInfo } from 'graphql';
import {
  compileOrder,
  compilePredicate,
  effectivePage,
  keysetAfter,
  keysetBefore,
  parseQuery,
  parseSort,
  wherePredicate,
  type OrderTerm,
  type Query,
  type SortTerm,
  type SymbolTable,
  type WhereInput,
} from '../filter/index.js';
import { columnsFor } from './columns.js';
import { ModuleKey, type RequestContext } from './context.js';
import { decodeCursor, Page } from './connection.js';
import { failure, invalidField } from './errors.js';
import { filterSymbols, readable } from './permissions.js';
import { ALIAS, type PageRequest } from './page.js';
import type { RelationScope, Resource } from './resource.js';
import type { Row } from './row.js';
import { requested } from './selection.js';
import { and, FALSE, TRUE, type Sql } from './sql.js';

/** The arguments of every list of the graph. */
export interface ListArguments {
  readonly filter?: string | null;
  readonly where?: WhereInput | null;
  readonly orderBy?: readonly { field: string; direction?: 'asc' | 'desc' | null }[] | null;
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
  readonly offset?: number | null;
  /** The paging rules of the REST interface instead of `first`: clamped, -1 is unlimited. */
  readonly limit?: number | null;
  /** The text that follows `sort by`; gives way to a clause in `filter`. */
  readonly sort?: string | null;
}

/** Exact totals that need no SQL; `undefined` where they are not held. */
export interface Totals {
  count(resource: Resource): number | undefined;
}

export const TOTALS = new ModuleKey<Totals>('totals');

const DEFAULT_PAGE = 25;
const LARGEST_PAGE = 500;

interface Window {
  readonly limit: number | 'none';
  readonly offset: number;
  readonly backwards: boolean;
}

/** One page of a resource, narrowed to `scope`, as the arguments and the selection ask. */
export async function listPage(
  ctx: RequestContext,
  resource: Resource,
  scope: RelationScope | undefined,
  args: ListArguments,
  info: GraphQLResolveInfo,
): Promise<Page> {
  const visible = readable(ctx, resource);
  if (!visible) throw failure('UNAUTHORIZED');
  const symbols = filterSymbols(ctx, resource);
  const query = args.filter ? parseQuery(args.filter) : {};
  const predicate = userPredicate(query, args, symbols);
  const window = windowOf(query, args);
  const order = orderOf(query, args, symbols);
  const options = ownArguments(resource, args);
  const narrowed = narrowing(resource, options);
  const nodes = requested(info, ['nodes'], ['edges', 'node']);
  const outer = requested(info);
  const wantsTotal = outer.fields.has('totalCount') || outer.fields.has('pagination');
  const isWhole = [predicate, visible, narrowed].every((p) => p(ALIAS) === TRUE);
  const known = wantsTotal && isWhole ? heldTotal(ctx, resource, scope) : undefined;
  const beyond = beyondCursor(args, order);
  const request: PageRequest = {
    resource,
    columns: columnsFor(resource, nodes, ctx.catalog, info),
    predicate: (alias) =>
      and(scope?.predicate(alias) ?? TRUE, visible(alias), narrowed(alias), predicate(alias)),
    ...(beyond ? { beyond } : {}),
    order: window.backwards ? reversed(order) : order,
    limit: window.limit === 'none' ? 'none' : window.limit + (outer.fields.has('pageInfo') ? 1 : 0),
    offset: window.offset,
    total: wantsTotal && known === undefined ? 'sql' : 'none',
    cursors: outer.fields.has('edges') || outer.fields.has('pageInfo'),
    options,
  };
  const read = await ctx.reader.page(request);
  return new Page(read.rows, known ?? read.total ?? 0, window, order.length, args);
}

/** The total of an unfiltered list, where it is held in memory. */
const heldTotal = (
  ctx: RequestContext,
  resource: Resource,
  scope: RelationScope | undefined,
): number | undefined => (scope ? scope.total?.() : ctx.modules.get(TOTALS).count(resource));

/** The arguments that the resource declares for itself, where they were given. */
function ownArguments(resource: Resource, args: ListArguments): Row {
  const given = args as Row;
  return Object.fromEntries(
    (resource.options.listArguments ?? [])
      .filter(({ name }) => given[name] !== undefined && given[name] !== null)
      .map(({ name }) => [name, given[name]]),
  );
}

function narrowing(resource: Resource, options: Row): (alias: string) => Sql {
  const parts = (resource.options.listArguments ?? []).flatMap(({ name, predicate }) =>
    predicate && options[name] !== undefined ? [predicate] : [],
  );
  return (alias) => and(...parts.map((p) => p(options, alias)));
}

function userPredicate(
  query: Query,
  args: ListArguments,
  symbols: SymbolTable,
): (alias: string) => Sql {
  const parts = [
    ...(query.predicate ? [query.predicate] : []),
    ...(args.where ? [wherePredicate(args.where, symbols)] : []),
  ];
  const [first] = parts;
  if (!first) return () => TRUE;
  // Compiled here already, so that bad names are refused even where no row would be read.
  const compiled = new Map<string, Sql>();
  return (alias) => {
    const known = compiled.get(alias);
    const built = known ?? and(...parts.map((p) => compilePredicate(p, symbols, alias)));
    compiled.set(alias, built);
    return built;
  };
}

function windowOf(query: Query, args: ListArguments): Window {
  const backwards = args.last !== undefined && args.last !== null;
  if (backwards && (args.first ?? null) !== null) {
    throw invalidField('last', 'first and last exclude each other', args.last);
  }
  if ((args.limit ?? null) !== null || query.limit !== undefined || query.skip !== undefined) {
    return {
      ...effectivePage(
        { limit: args.limit ?? args.first ?? undefined, offset: args.offset ?? undefined },
        query,
      ),
      backwards: false,
    };
  }
  const size = args.last ?? args.first ?? DEFAULT_PAGE;
  const name = backwards ? 'last' : 'first';
  if (size < 0 || size > LARGEST_PAGE) {
    throw invalidField(name, `${name} must be between 0 and ${String(LARGEST_PAGE)}`, size);
  }
  const offset = args.offset ?? 0;
  if (offset < 0) throw invalidField('offset', 'offset must not be negative', offset);
  return { limit: size, offset, backwards };
}

function orderOf(query: Query, args: ListArguments, symbols: SymbolTable): OrderTerm[] {
  return compileOrder(sortTerms(query, args), symbols, 'e');
}

function sortTerms(query: Query, args: ListArguments): readonly SortTerm[] {
  if (query.sort) return query.sort;
  if (args.sort) return parseSort(args.sort);
  return (args.orderBy ?? []).map(({ field, direction }) => ({
    field: field.replaceAll('__', '.'),
    direction: direction ?? 'asc',
  }));
}

const reversed = (order: readonly OrderTerm[]): OrderTerm[] =>
  order.map((term) => ({ ...term, direction: term.direction === 'asc' ? 'desc' : 'asc' }));

function beyondCursor(
  args: ListArguments,
  order: readonly OrderTerm[],
): ((alias: string) => Sql) | undefined {
  const after = args.after ? keysetAfter(order, decodeCursor('after', args.after, order)) : TRUE;
  const before = args.before
    ? keysetBefore(order, decodeCursor('before', args.before, order))
    : TRUE;
  const both = and(after, before);
  return both === TRUE ? undefined : () => both;
}

/** A scope that holds no rows. */
export const NOTHING: RelationScope = { predicate: () => FALSE, total: () => 0 };
