import type { JsonObject } from '../../../base/row.js';
import { column, sql, type Sql } from '../../../base/sql.js';
import type { Rows, Store } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { isConnectedSql } from './router-presence-rows.js';
import type { RouterReport } from './router-report.js';

/* Routers of both kinds. */

type Router = TableRow<'Router'>;

/** Whether a router is an edge router; null without such a router. */
export const findKind = (rows: Rows, id: string): Promise<Pick<Router, 'isEdge'> | null> =>
  rows.readModel((models) => models.router.findUnique({ where: { id }, select: { isEdge: true } }));

/** The fingerprint of an enrolled router that may connect. */
export async function fingerprintOf(rows: Rows, id: string): Promise<string | null> {
  const router = await rows.readModel((models) =>
    models.router.findUnique({
      where: { id, isVerified: true, disabled: false },
      select: { fingerprint: true },
    }),
  );
  return router?.fingerprint ?? null;
}

/** Whether a router with this id has a tunneler, and with it an identity of the same id. */
export async function hasTunneler(rows: Rows, id: string): Promise<boolean> {
  const router = await rows.readModel((models) =>
    models.router.findUnique({
      where: { id, isEdge: true, isTunnelerEnabled: true },
      select: { id: true },
    }),
  );
  return router !== null;
}

const COSTS = { id: true, cost: true, noTraversal: true } as const;

/** The cost of a router on paths. */
export const findCosts = (
  rows: Rows,
  id: string,
): Promise<Pick<Router, keyof typeof COSTS> | null> =>
  rows.readModel((models) => models.router.findUnique({ where: { id }, select: COSTS }));

/** The costs of all routers on paths, and the facts that decide whether they may connect. */
export const allCosts = (
  rows: Rows,
): Promise<Pick<Router, keyof typeof COSTS | 'isVerified' | 'disabled'>[]> =>
  rows.readModel((models) =>
    models.router.findMany({ select: { ...COSTS, isVerified: true, disabled: true } }),
  );

/** The ids of all routers. */
export async function allIds(rows: Rows): Promise<string[]> {
  const routers = await rows.readModel((models) =>
    models.router.findMany({ select: { id: true } }),
  );
  return routers.map(({ id }) => id);
}

/**
 * Stores the network interfaces of a router, and of the identity of a router with a tunneler: one
 * statement for both tables.
 */
export async function putInterfaces(
  rows: Rows,
  id: string,
  interfaces: readonly object[],
): Promise<void> {
  const json = JSON.stringify(interfaces);
  await rows.query(
    sql`with r as (update router set interfaces = ${json}::jsonb where id = ${id}::text returning id)
      update identity i set interfaces = ${json}::jsonb from r where i.id = r.id`,
  );
}

/** The addresses of a router; reported ones are null while it is not connected. */
export type RouterAddresses = {
  readonly ctrlChanListeners: JsonObject;
  readonly hostname: RouterReport['hostname'] | null;
  readonly listeners: RouterReport['listeners'] | null;
  readonly linkListeners: RouterReport['linkListeners'] | null;
};

/**
 * Reads the addresses of all other routers that advertise some to clients. By a model, each enrollment
 * of a router would make JSON of all of them.
 */
export const addressesOfOthers = (rows: Rows, id: string): Promise<RouterAddresses[]> =>
  rows.query(
    sql<RouterAddresses>`select r.ctrl_chan_listeners as "ctrlChanListeners", p.hostname, p.listeners,
        p.link_listeners as "linkListeners"
      from router r left join router_presence p on p.router_id = r.id
      where r.id <> ${id}::text and (p.router_id is not null or r.ctrl_chan_listeners <> '{}'::jsonb)`,
  );

/** The state of a router; each router has one. */
export type RouterState = 'online' | 'offline' | 'disabled' | 'notEnrolled';

/** A disabled router that has not enrolled counts as disabled. Filters and statements share it. */
const stateSql = (alias: string, now: Date): Sql =>
  sql`case when ${column(alias, 'disabled')} then 'disabled'
    when not ${column(alias, 'is_verified')} then 'notEnrolled'
    when ${isConnectedSql(column(alias, 'id'), now)} then 'online'
    else 'offline' end`;

export const isOfflineSql = (alias: string, now: Date): Sql =>
  sql`${stateSql(alias, now)} = 'offline'`;

type StateCount = { readonly state: RouterState; readonly count: number };

/** The number of edge routers in each state that one is in. A statement: filters share the condition of a state. */
export const countEdgeRouterStates = (rows: Rows, now: Date): Promise<StateCount[]> =>
  rows.query(
    sql<StateCount>`select ${stateSql('e', now)} as state, count(*)::int as count
      from router "e" where is_edge group by 1`,
  );

/** The ids of the edge routers that are online. A statement: filters share the condition of a state. */
export async function onlineEdgeRouterIds(rows: Rows, now: Date): Promise<string[]> {
  const routers = await rows.query(
    sql<{
      id: string;
    }>`select id from router "e" where is_edge and ${stateSql('e', now)} = 'online'`,
  );
  return routers.map(({ id }) => id);
}

/** The names of any number of routers by their ids, from memory where the store has them. */
export async function namesOf(
  store: Pick<Store, 'rows'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const routers = await store.rows(
    sql<Pick<Router, 'id' | 'name'>>`select id, name from router where id = any(${ids}::text[])`,
  );
  return new Map(routers.map(({ id, name }) => [id, name]));
}

/** The view of a router in sessions. */
export type SessionRouter = Pick<
  Router,
  'id' | 'name' | 'cost' | 'noTraversal' | 'disabled' | 'isVerified'
> & { readonly appData: JsonObject };

/** The view of any number of routers in sessions, from memory where the store has them. */
export const ofSessions = (
  store: Pick<Store, 'rows'>,
  ids: readonly string[],
): Promise<SessionRouter[]> =>
  store.rows(
    sql<SessionRouter>`select id, name, cost, no_traversal as "noTraversal", disabled,
        is_verified as "isVerified", app_data as "appData"
      from router where id = any(${ids}::text[])`,
  );
