import type { GraphQLResolveInfo } from 'graphql';
import { compileOrder, type SortTerm } from '../kernel/filter/index.js';
import type { ResourceName, SelectedOf } from '../kernel/declare/rows.js';
import { columnsFor } from '../kernel/read/columns.js';
import type { RequestContext } from '../kernel/request/context.js';
import { ALIAS } from '../kernel/read/page.js';
import type { EntityRequest } from '../kernel/read/reader.js';
import { requested } from '../kernel/read/selection.js';
import { TRUE, type Sql } from '../base/sql.js';

/** Reads an entity that is visible to the caller without a permission; the caller checks that. */
export const readOwn = <N extends ResourceName>(
  ctx: RequestContext,
  name: N,
  id: string,
  info: GraphQLResolveInfo,
): Promise<SelectedOf<N> | undefined> => ctx.reader.entity(ownEntity(ctx, name, id, info));

/** Reads an entity of the caller with its secrets, which this answer gives to their owner. */
export const readWithSecrets = <N extends ResourceName>(
  ctx: RequestContext,
  name: N,
  id: string,
  info: GraphQLResolveInfo,
): Promise<SelectedOf<N> | undefined> =>
  ctx.reader.entity({ withSecrets: true, ...ownEntity(ctx, name, id, info) });

function ownEntity<N extends ResourceName>(
  ctx: RequestContext,
  name: N,
  id: string,
  info: GraphQLResolveInfo,
): EntityRequest<N> {
  const resource: EntityRequest<N>['resource'] = ctx.catalog.resources[name];
  const columns = columnsFor(resource, requested(info), ctx.catalog, info);
  return { resource, columns, id, visible: () => TRUE };
}

interface Selection {
  readonly predicate?: (alias: string) => Sql;
  /** Default: by id. */
  readonly order?: readonly SortTerm[];
  readonly limit: number;
}

/** Reads some entities of a resource, without a permission; the caller checks that. */
export async function readSome<N extends ResourceName>(
  ctx: RequestContext,
  name: N,
  { predicate = () => TRUE, order = [], limit }: Selection,
  info: GraphQLResolveInfo,
): Promise<SelectedOf<N>[]> {
  const resource: EntityRequest<N>['resource'] = ctx.catalog.resources[name];
  const { rows } = await ctx.reader.page({
    resource,
    columns: columnsFor(resource, requested(info), ctx.catalog, info),
    predicate,
    order: compileOrder(order, ctx.catalog.symbols(resource), ALIAS),
    limit,
    offset: 0,
    total: 'none',
    cursors: false,
  });
  return rows;
}
