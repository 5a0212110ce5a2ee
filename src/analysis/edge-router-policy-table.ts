import { sql, type Queryable } from '../base/sql.js';

/** Gives the policies that the controller creates itself, for routers with a tunneler. */
export async function systemEdgeRouterPolicies(store: Queryable): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select id from edge_router_policy where is_system`,
  );
  return rows.map(({ id }) => id);
}
