import { raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { RouterFace, RouterHello, RouterReport } from './router-report.js';

/*
 * The routers that are connected to any controller. Every write gets the next version under the lock
 * of the only row that contains it, so a reader that has read a version has read all earlier ones: a
 * statement takes the version and writes with it, which models can not say.
 */

/** The common table expression `v` at the start of every write that the readers of versions see. */
export const NEXT_VERSION: Sql = raw(`v as (
  insert into presence_version (version) values (1)
  on conflict (is_only) do update set version = presence_version.version + 1 returning version)`);

/** The connection that a row belongs to. */
export interface ConnectionKey {
  readonly id: string;
  readonly routerId: string;
}

/** A connection that continues. */
export interface RenewedConnection extends ConnectionKey, Pick<RouterReport, 'inStepSince'> {}

/** The version that a reader has read up to. */
export interface Position {
  readonly generation: string;
  readonly version: bigint;
}

export interface VersionedReport extends RouterReport {
  readonly version: bigint;
}

/** The row of a new connection. */
export interface PresenceEntry {
  readonly version: bigint;
  /** The revision of the router at its admission. */
  readonly revision: number;
}

/** The condition on routers that are connected. A report without renewals is kept for some minutes. */
export const isConnectedSql = (routerId: Sql, now: Date): Sql =>
  sql`exists (select 1 from router_presence p where p.router_id = ${routerId} and p.lapses_at > ${now}::timestamptz)`;

/** Takes over the row of the router; gives undefined when the router may not connect. */
export async function enter(
  rows: Rows,
  { id, routerId }: ConnectionKey,
  hello: RouterHello & RouterFace,
  times: { readonly at: Date; readonly lapsesAt: Date },
): Promise<PresenceEntry | undefined> {
  const [row] = await rows.query(
    sql<{ version: string; revision: number }>`with ${NEXT_VERSION}, r as (
        select id, revision from router
        where id = ${routerId}::text and fingerprint = ${hello.fingerprint}::text and is_verified and not disabled
        for share
      ), put as (
        insert into router_presence (router_id, connection_id, version, hostname, listeners, link_listeners,
          version_info, sync_status, connected_at, lapses_at)
        select r.id, ${id}::text, v.version, ${hello.hostname}::text, ${JSON.stringify(hello.listeners)}::jsonb,
          ${JSON.stringify(hello.linkListeners)}::jsonb, ${jsonOrNull(hello.versionInfo)}::jsonb,
          ${hello.syncStatus}::text, ${times.at}::timestamptz, ${times.lapsesAt}::timestamptz
        from v, r
        on conflict (router_id) do update set connection_id = excluded.connection_id, version = excluded.version,
          hostname = excluded.hostname, listeners = excluded.listeners, link_listeners = excluded.link_listeners,
          version_info = excluded.version_info, sync_status = excluded.sync_status,
          connected_at = excluded.connected_at, lapses_at = excluded.lapses_at, in_step_since = null
        returning version
      ) select put.version, r.revision from put, r`,
  );
  return row && { version: BigInt(row.version), revision: row.revision };
}

/** Stores new values for clients. */
export async function amend(
  rows: Rows,
  { id, routerId }: ConnectionKey,
  face: RouterFace,
): Promise<void> {
  await rows.query(
    sql`with ${NEXT_VERSION} update router_presence p set version = v.version, hostname = ${face.hostname}::text,
        listeners = ${JSON.stringify(face.listeners)}::jsonb, sync_status = ${face.syncStatus}::text
      from v where p.router_id = ${routerId}::text and p.connection_id = ${id}::text`,
  );
}

/**
 * Extends the end of these connections, and stores whether their routers are in step: that changes with each
 * commit, so it is stored with what is written anyway. Gives the ids of those that still have their row.
 */
export async function renew(
  rows: Rows,
  connections: readonly RenewedConnection[],
  lapsesAt: Date,
): Promise<Set<string>> {
  const renewed = await rows.query(
    sql<{
      id: string;
    }>`with ${NEXT_VERSION} update router_presence p set version = v.version, lapses_at = ${lapsesAt}::timestamptz,
        in_step_since = c.in_step_since
      from v, unnest(${connections.map((c) => c.routerId)}::text[], ${connections.map((c) => c.id)}::text[],
        ${connections.map((c) => c.inStepSince?.toISOString() ?? null)}::timestamptz[]) c (router_id, id, in_step_since)
      where p.router_id = c.router_id and p.connection_id = c.id returning p.connection_id as id`,
  );
  return new Set(renewed.map(({ id }) => id));
}

/** Ends a connection; from now on the state of its clients is unknown. */
export async function leave(rows: Rows, { id, routerId }: ConnectionKey, at: Date): Promise<void> {
  await rows.query(
    sql`with ${NEXT_VERSION} update router_presence p set version = v.version, lapses_at = least(p.lapses_at, ${at}::timestamptz)
      from v where p.router_id = ${routerId}::text and p.connection_id = ${id}::text`,
  );
}

/** The latest version; null before the first write. */
export const position = (rows: Rows): Promise<Position | null> =>
  rows.readModel((models) =>
    models.presenceVersion.findUnique({
      where: { isOnly: true },
      select: { generation: true, version: true },
    }),
  );

/** The reports after a version, in their order. */
export const since = (rows: Rows, version: bigint): Promise<VersionedReport[]> =>
  rows.readModel((models) =>
    models.routerPresence.findMany({
      where: { version: { gt: version } },
      select: {
        ...{ routerId: true, connectionId: true, version: true, hostname: true, listeners: true },
        ...{ linkListeners: true, versionInfo: true, syncStatus: true },
        ...{ connectedAt: true, lapsesAt: true, inStepSince: true },
      },
      orderBy: { version: 'asc' },
    }),
  );

/** Deletes routers that were lost before `before`, with their clients. */
export async function deleteLostBefore(rows: Rows, before: Date): Promise<void> {
  await rows.query(
    sql`with gone as (delete from router_presence where lapses_at < ${before}::timestamptz returning router_id)
      delete from router_client c using gone where c.router_id = gone.router_id`,
  );
}

const jsonOrNull = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);
