import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { ConnectionKey } from './router-presence-rows.js';

/*
 * The identities that have clients at routers; only the database stores them. Statements, not models:
 * they write any number of rows at once, as long as a connection has its row.
 */

const BATCH = 5_000;

/** Whether a client of an identity is connected; `unknown`: its router was lost a moment ago. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';

/** The moments that decide about the state of clients. */
export interface StatusTimes {
  readonly now: Date;
  /** The state of clients of a router that was lost later is unknown. */
  readonly lostSince: Date;
}

/** Whether the identity is a client of a router that may carry traffic and was there after `since`. */
const isClientSince = (identityId: Sql, since: Date): Sql =>
  sql`exists (select 1 from router_client c join router_presence p on p.router_id = c.router_id
    join router r on r.id = c.router_id
    where c.identity_id = ${identityId} and p.lapses_at > ${since}::timestamptz and r.is_verified and not r.disabled)`;

/** Whether an identity is online, for filters of identities; like `statusOf`. */
export const isClientSql = (identityId: Sql, { now }: StatusTimes): Sql =>
  isClientSince(identityId, now);

/** The state of an identity, for filters of identities; like `statusOf`. */
export const statusSql = (identityId: Sql, { now, lostSince }: StatusTimes): Sql =>
  sql`(case when ${isClientSince(identityId, now)} then 'online'
    when ${isClientSince(identityId, lostSince)} then 'unknown' else 'offline' end collate "C")`;

/** Inserts clients. A later `keepOnly` deletes those with another `report`. */
export async function add(
  rows: Rows,
  connection: ConnectionKey,
  clients: ReadonlyMap<string, Date>,
  report: string,
): Promise<void> {
  for (const batch of batches([...clients])) {
    const [ids, times] = [batch.map(([id]) => id), batch.map(([, at]) => at.toISOString())];
    await rows.query(
      sql`insert into router_client (identity_id, router_id, connected_at, report)
        select i.id, p.router_id, c.at, ${report}::text
        from unnest(${ids}::text[], ${times}::timestamptz[]) c (id, at) join identity i on i.id = c.id,
          router_presence p where p.router_id = ${connection.routerId}::text and p.connection_id = ${connection.id}::text
        on conflict (identity_id, router_id) do update
          set report = excluded.report, connected_at = excluded.connected_at`,
    );
  }
}

/** Inserts clients that have no row yet. */
export async function addMissing(
  rows: Rows,
  connection: ConnectionKey,
  identityIds: readonly string[],
  at: Date,
): Promise<void> {
  for (const batch of batches([...new Set(identityIds)])) {
    await rows.query(
      sql`insert into router_client (identity_id, router_id, connected_at, report)
        select c.id, p.router_id, ${at}::timestamptz, ''
        from unnest(${batch}::text[]) c (id),
          router_presence p where p.router_id = ${connection.routerId}::text and p.connection_id = ${connection.id}::text
        on conflict (identity_id, router_id) do nothing`,
    );
  }
}

export async function remove(
  rows: Rows,
  connection: ConnectionKey,
  identityIds: readonly string[],
): Promise<void> {
  for (const batch of batches(identityIds)) {
    await rows.query(
      sql`delete from router_client c using router_presence p
        where c.router_id = ${connection.routerId}::text and c.identity_id = any(${batch}::text[])
          and p.router_id = c.router_id and p.connection_id = ${connection.id}::text`,
    );
  }
}

/** Deletes the clients of the router that this report did not name. */
export async function keepOnly(
  rows: Rows,
  connection: ConnectionKey,
  report: string,
): Promise<void> {
  await rows.query(
    sql`delete from router_client c using router_presence p
      where c.router_id = ${connection.routerId}::text and c.report <> ${report}::text
        and p.router_id = c.router_id and p.connection_id = ${connection.id}::text`,
  );
}

/** Deletes all clients of the router, unless a later connection has taken its place. */
export const removeAll = (rows: Rows, connection: ConnectionKey): Promise<void> =>
  keepOnly(rows, connection, 'of nobody');

/** Deletes the clients of a deleted router. */
export const removeAt = (rows: Rows, routerId: string): Promise<unknown> =>
  rows.writeModel((models) => models.routerClient.deleteMany({ where: { routerId } }));

/** Gives the ids of the identities with a client at a router that may carry traffic. */
export async function onlineIdentities(rows: Rows, now: Date): Promise<string[]> {
  const clients = await rows.query(
    sql<{ id: string }>`select distinct c.identity_id as id
      from router_client c join router_presence p on p.router_id = c.router_id join router r on r.id = c.router_id
      where p.lapses_at > ${now}::timestamptz and r.is_verified and not r.disabled`,
  );
  return clients.map(({ id }) => id);
}

/** Gives the ids of the identities that are clients of a router. */
export async function identitiesAt(rows: Rows, routerId: string): Promise<Set<string>> {
  const clients = await rows.readModel((models) =>
    models.routerClient.findMany({ where: { routerId }, select: { identityId: true } }),
  );
  return new Set(clients.map(({ identityId }) => identityId));
}

/** Counts routers that may carry traffic; identities without an entry are offline. */
export async function statusOf(
  rows: Rows,
  identityIds: readonly string[],
  times: StatusTimes,
): Promise<Map<string, ConnectionStatus>> {
  const clients = await rows.query(
    sql<{
      id: string;
      isOnline: boolean;
    }>`select c.identity_id as id, bool_or(p.lapses_at > ${times.now}::timestamptz) as "isOnline"
      from router_client c join router_presence p on p.router_id = c.router_id join router r on r.id = c.router_id
      where c.identity_id = any(${identityIds}::text[]) and p.lapses_at > ${times.lostSince}::timestamptz
        and r.is_verified and not r.disabled
      group by c.identity_id`,
  );
  return new Map(clients.map(({ id, isOnline }) => [id, isOnline ? 'online' : 'unknown']));
}

function batches<T>(items: readonly T[]): T[][] {
  const all: T[][] = [];
  for (let from = 0; from < items.length; from += BATCH) all.push(items.slice(from, from + BATCH));
  return all;
}
