import { sql, type Queryable } from '../base/sql.js';
import type { RouterNode } from './paths.js';

/** Reads what a router costs. */
export async function routerNode(store: Queryable, routerId: string): Promise<RouterNode> {
  const [row] = await store.query(
    sql<{ cost: number; no_traversal: boolean }>`select cost, no_traversal from router
      where id = ${routerId}::text`,
  );
  return { id: routerId, cost: row?.cost ?? 0, noTraversal: row?.no_traversal ?? false };
}

/** Gives the ids of all routers. */
export async function routerIds(store: Queryable): Promise<string[]> {
  const rows = await store.query(sql<{ id: string }>`select id from router`);
  return rows.map(({ id }) => id);
}
