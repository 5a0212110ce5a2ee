import type { GraphQLResolveInfo } from 'graphql';
import { compileOrder } from '../filter/index.js';
import { columnsFor } from '../kernel/read/columns.js';
import type { RequestContext } from '../kernel/request/context.js';
import { ALIAS } from '../kernel/read/page.js';
import type { EntityRequest } from '../kernel/read/reader.js';
import type { Row } from '../base/row.js';
import { requested } from '../kernel/read/selection.js';
import { TRUE } from '../base/sql.js';

/** An entity that belongs to the caller, who needs no permission to read it. */
export const readOwn = (
  ctx: RequestContext,
  name: string,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Row | undefined> => ctx.reader.entity(ownEntity(ctx, name, id, info));

/** The same with its secrets, which this answer hands to their owner. */
export const readWithSecrets = (
  ctx: RequestContext,
  name: string,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Row | undefined> =>
  ctx.reader.entity({ ...ownEntity(ctx, name, id, info), withSecrets: true });

function ownEntity(
  ctx: RequestContext,
  name: string,
  id: string,
  info: GraphQLResolveInfo,
): EntityRequest {
  const resource = ctx.catalog.get(name);
  const columns = columnsFor(resource, requested(info), ctx.catalog, info);
  return { resource, columns, id, visible: () => TRUE };
}

/** The first entity of a resource by id, for somebody who needs no permission to read it. */
export async function readFirst(
  ctx: RequestContext,
  name: string,
  info: GraphQLResolveInfo,
): Promise<Row[]> {
  const resource = ctx.catalog.get(name);
  const { rows } = await ctx.reader.page({
    resource,
    columns: columnsFor(resource, requested(info), ctx.catalog, info),
    predicate: () => TRUE,
    order: compileOrder([], ctx.catalog.symbols(resource), ALIAS),
    limit: 1,
    offset: 0,
    total: 'none',
    cursors: false,
  });
  return rows;
}
