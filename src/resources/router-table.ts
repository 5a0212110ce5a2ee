import type { JsonObject } from '../base/row.js';
import { sql, type Queryable } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';

/** Gives whether a router is an edge router; undefined without such a router. */
export async function findRouterKind(
  store: Queryable,
  id: string,
): Promise<{ readonly is_edge: boolean } | undefined> {
  const [router] = await store.query(
    sql<{ is_edge: boolean }>`select is_edge from router where id = ${id}::text`,
  );
  return router;
}

/** Whether a router of either kind exists. */
export async function isRouter(tx: Queryable, id: string): Promise<boolean> {
  const [router] = await tx.query(sql`select id from router where id = ${id}::text`);
  return router !== undefined;
}

/** The names of routers by their ids. */
export async function namesOfRouters(
  store: Pick<Store, 'rows'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await store.rows(
    sql<{ id: string; name: string }>`select id, name from router where id = any(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The view of a router in sessions. */
export type SessionRouterRow = {
  readonly id: string;
  readonly name: string;
  readonly cost: number;
  readonly no_traversal: boolean;
  readonly disabled: boolean;
  readonly is_verified: boolean;
  readonly app_data: JsonObject;
};

export const routersOfSessions = (
  store: Pick<Store, 'rows'>,
  ids: readonly string[],
): Promise<SessionRouterRow[]> =>
  store.rows(
    sql<SessionRouterRow>`select id, name, cost, no_traversal, disabled, is_verified, app_data from router where id = any(${ids}::text[])`,
  );
