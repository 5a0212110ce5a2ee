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

/** A router with whether it is allowed to connect. */
export interface RouterCosts extends RouterNode {
  readonly mayConnect: boolean;
}

/** Reads what all routers cost. */
export async function readRouters(store: Queryable): Promise<RouterCosts[]> {
  const rows = await store.query(
    sql<{ id: string; cost: number; no_traversal: boolean; may_connect: boolean }>`select id, cost,
      no_traversal, is_verified and not disabled as may_connect from router`,
  );
  return rows.map((row) => ({
    id: row.id,
    cost: row.cost,
    noTraversal: row.no_traversal,
    mayConnect: row.may_connect,
  }));
}

/** Gives the ids of all routers. */
export async function routerIds(store: Queryable): Promise<string[]> {
  const rows = await store.query(sql<{ id: string }>`select id from router`);
  return rows.map(({ id }) => id);
}
