import type { JsonObject } from '../base/row.js';
import { column, sql, type Queryable, type Sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import { isConnectedSql } from '../presence/index.js';

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

/** The state of a router; each router has one. */
export type RouterState = 'online' | 'offline' | 'disabled' | 'notEnrolled';

/** A disabled router that has not enrolled counts as disabled. */
const stateSql = (alias: string, now: Date): Sql =>
  sql`case when ${column(alias, 'disabled')} then 'disabled'
    when not ${column(alias, 'is_verified')} then 'notEnrolled'
    when ${isConnectedSql(column(alias, 'id'), now)} then 'online'
    else 'offline' end`;

export const isRouterOffline = (alias: string, now: Date): Sql =>
  sql`${stateSql(alias, now)} = 'offline'`;

type StateRow = { readonly state: RouterState; readonly count: number };

/** The number of edge routers in each state that one is in. */
export const countEdgeRouterStates = (store: Queryable, now: Date): Promise<StateRow[]> =>
  store.query(
    sql<StateRow>`select ${stateSql('e', now)} as state, count(*)::int as count
      from router "e" where is_edge group by 1`,
  );

/** The ids of the edge routers that are online. */
export async function onlineEdgeRouterIds(store: Queryable, now: Date): Promise<string[]> {
  const rows = await store.query(
    sql<{
      id: string;
    }>`select id from router "e" where is_edge and ${stateSql('e', now)} = 'online'`,
  );
  return rows.map(({ id }) => id);
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
