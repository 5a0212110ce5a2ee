import { sql, type Queryable } from '../base/sql.js';

/** The policies of routers with a tunneler, which the controller makes itself. */
export async function systemEdgeRouterPolicies(store: Queryable): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select id from edge_router_policy where is_system`,
  );
  return rows.map(({ id }) => id);
}
