import { sql, type Sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import type { ConnectionKey } from './presence-table.js';
import type { ClientEvent, ConnectionStatus } from './router-report.js';

const BATCH = 5_000;

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
export const clientStatusSql = (identityId: Sql, { now, lostSince }: StatusTimes): Sql =>
  sql`(case when ${isClientSince(identityId, now)} then 'online'
    when ${isClientSince(identityId, lostSince)} then 'unknown' else 'offline' end collate "C")`;

/** The identities that have clients at routers; only the database stores them. */
export class ClientTable {
  constructor(private readonly store: Store) {}

  /** Inserts clients. A later `keepOnly` deletes those with another `report`. */
  async add(
    connection: ConnectionKey,
    clients: ReadonlyMap<string, Date>,
    report: string,
  ): Promise<void> {
    for (const batch of batches([...clients])) {
      const [ids, times] = [batch.map(([id]) => id), batch.map(([, at]) => at.toISOString())];
      await this.store.query(
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
  async addMissing(
    connection: ConnectionKey,
    identityIds: readonly string[],
    at: Date,
  ): Promise<void> {
    for (const batch of batches([...new Set(identityIds)])) {
      await this.store.query(
        sql`insert into router_client (identity_id, router_id, connected_at, report)
          select c.id, p.router_id, ${at}::timestamptz, ''
          from unnest(${batch}::text[]) c (id),
            router_presence p where p.router_id = ${connection.routerId}::text and p.connection_id = ${connection.id}::text
          on conflict (identity_id, router_id) do nothing`,
      );
    }
  }

  async remove(connection: ConnectionKey, identityIds: readonly string[]): Promise<void> {
    for (const batch of batches(identityIds)) {
      await this.store.query(
        sql`delete from router_client c using router_presence p
          where c.router_id = ${connection.routerId}::text and c.identity_id = any(${batch}::text[])
            and p.router_id = c.router_id and p.connection_id = ${connection.id}::text`,
      );
    }
  }

  /** Deletes the clients of the router that this report did not name. */
  async keepOnly(connection: ConnectionKey, report: string): Promise<void> {
    await this.store.query(
      sql`delete from router_client c using router_presence p
        where c.router_id = ${connection.routerId}::text and c.report <> ${report}::text
          and p.router_id = c.router_id and p.connection_id = ${connection.id}::text`,
    );
  }

  /** Deletes all clients of the router, unless a later connection has taken its place. */
  removeAll(connection: ConnectionKey): Promise<void> {
    return this.keepOnly(connection, 'of nobody');
  }

  /** Deletes the clients of a deleted router. */
  async removeRouter(routerId: string): Promise<void> {
    await this.store.query(sql`delete from router_client where router_id = ${routerId}::text`);
  }

  /** Gives the ids of the identities with a client at a router that may carry traffic. */
  async onlineIds(now: Date): Promise<string[]> {
    const rows = await this.store.query(
      sql<{ identity_id: string }>`select distinct c.identity_id
        from router_client c join router_presence p on p.router_id = c.router_id join router r on r.id = c.router_id
        where p.lapses_at > ${now}::timestamptz and r.is_verified and not r.disabled`,
    );
    return rows.map((row) => row.identity_id);
  }

  /** Counts routers that may carry traffic; identities without an entry are offline. */
  async statusOf(
    identityIds: readonly string[],
    times: StatusTimes,
  ): Promise<Map<string, ConnectionStatus>> {
    const rows = await this.store.query(
      sql<{
        identity_id: string;
        online: boolean;
      }>`select c.identity_id, bool_or(p.lapses_at > ${times.now}::timestamptz) as online
        from router_client c join router_presence p on p.router_id = c.router_id join router r on r.id = c.router_id
        where c.identity_id = any(${identityIds}::text[]) and p.lapses_at > ${times.lostSince}::timestamptz
          and r.is_verified and not r.disabled
        group by c.identity_id`,
    );
    return new Map(rows.map((row) => [row.identity_id, row.online ? 'online' : 'unknown']));
  }
}

/** Splits events into connected and gone clients; the last event of each identity counts. */
export function clientChanges(
  events: readonly ClientEvent[],
  now: Date,
): { readonly come: Map<string, Date>; readonly gone: string[] } {
  const last = new Map(events.map((event) => [event.identityId, event]));
  const come = new Map<string, Date>();
  const gone: string[] = [];
  for (const { identityId, isConnected, connectedAt } of last.values()) {
    if (isConnected) come.set(identityId, connectedAt ?? now);
    else gone.push(identityId);
  }
  return { come, gone };
}

function batches<T>(items: readonly T[]): T[][] {
  const all: T[][] = [];
  for (let from = 0; from < items.length; from += BATCH) all.push(items.slice(from, from + BATCH));
  return all;
}
