import type { GraphQLResolveInfo } from 'graphql';
import { columnsFor } from '../kernel/columns.js';
import type { RequestContext } from '../kernel/context.js';
import type { Row } from '../kernel/row.js';
import { requested } from '../kernel/selection.js';
import { TRUE } from '../kernel/sql.js';

/** An entity that belongs to the caller, who needs no permission to read it. */
export function readOwn(
  ctx: RequestContext,
  name: string,
  id: string,
  info: GraphQLResolveInfo,
): Promise<Row | undefined> {
  const resource = ctx.catalog.get(name);
  const columns = columnsFor(resource, requested(info), ctx.catalog, info);
  return ctx.reader.entity({ resource, columns, id, visible: () => TRUE });
}
