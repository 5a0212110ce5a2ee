import type { Relation } from '../../kernel/declare/resource.js';
import { column, or, sql, type Sql } from '../../base/sql.js';
import { childrenOf, listersOf } from '../child-relations.js';

const hasEnd = (alias: string, routerId: Sql): Sql =>
  or(
    sql`${column(alias, 'source_router_id')} = ${routerId}`,
    sql`${column(alias, 'dest_router_id')} = ${routerId}`,
  );

/** The relations of routers of every kind to what they carry. */
export const routerTraffic: readonly Relation[] = [
  {
    name: 'links',
    target: 'Link',
    description: 'Its links to other routers.',
    path: false,
    scope: ({ id }) => ({ predicate: (alias) => hasEnd(alias, sql`${id}::text`) }),
    link: (outer, inner) => hasEnd(inner, column(outer, 'id')),
  },
  {
    ...listersOf('circuits', 'Circuit', 'routerIds', 'The circuits over it.'),
    path: false,
  },
  childrenOf('terminators', 'Terminator', 'routerId', 'The terminators at it.', false),
];
