import { raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * The latest events of circuits, for subscribers of all controllers. The owner of the fabric adds
 * them in the statement that stores the circuits. Their versions are consecutive numbers that it
 * takes under the lock of the only row of `circuit_event_version`: a reader that has read a version
 * has read all earlier ones, and a missing number is an event that it missed. Statements, not models:
 * a write takes versions and adds any number of events, and a read gives events and the latest version.
 */

export type CircuitEventKind = 'CREATED' | 'MOVED' | 'ENDED';

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly CircuitEvent: { readonly kind: CircuitEventKind };
  }
}

export type CircuitEvent = TableRow<'CircuitEvent'>;

/** The version that a reader has read up to. */
export interface EventPosition {
  /** Undefined before the first event; another one when the database has lost its volatile tables. */
  readonly generation: string | undefined;
  readonly version: bigint;
}

/** Far more than the readers that poll can be behind. */
const KEPT_EVENTS = 50_000;

/** The common table expression `c`: the facts of circuits, in their order as `position`. */
export const circuitRows = (circuits: readonly object[]): Sql => sql`c as (
    select position, id, session_id, service_id, identity_id, host_id, terminator_id,
      array(select jsonb_array_elements_text(router_ids)) as router_ids,
      array(select jsonb_array_elements_text(link_ids)) as link_ids, ingress, egress, binding, created_at, tags
    from rows from (jsonb_to_recordset(${JSON.stringify(circuits)}::jsonb) as (id text, "sessionId" text,
      "serviceId" text, "identityId" text, "hostId" text, "terminatorId" text, "routerIds" jsonb, "linkIds" jsonb,
      ingress text, egress text, binding text, "createdAt" timestamptz, tags jsonb))
      with ordinality r (id, session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids,
        ingress, egress, binding, created_at, tags, position))`;

/** The common table expression `v`: the last version of so many new events. */
export const nextVersions = (count: number): Sql => sql`v as (
    insert into circuit_event_version (version) values (${count}::bigint)
    on conflict (is_only) do update set version = circuit_event_version.version + excluded.version returning version)`;

/** Adds an event for each row of `c`, with the versions of `v`. */
export const addEvents = (kind: Sql, count: number): Sql => sql`insert into circuit_event
    (version, kind, at, circuit_id, session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids,
      created_at)
  select v.version - ${count}::bigint + c.position, ${kind}, clock_timestamp(), c.id, c.session_id, c.service_id,
    c.identity_id, c.host_id, c.terminator_id, c.router_ids, c.link_ids, c.created_at
  from v, c`;

/** The common table expression that deletes the oldest events. */
export const PRUNED_EVENTS: Sql = raw(`pruned_events as (
    delete from circuit_event using v where circuit_event.version <= v.version - ${String(KEPT_EVENTS)})`);

/**
 * Gives the generation of the events: another one when the database has lost its volatile tables. It
 * begins one where there is none.
 */
export async function generation(rows: Rows): Promise<string | undefined> {
  const [row] = await rows.query(
    sql<{
      generation: string;
    }>`with known as (select generation from circuit_event_version), made as (
        insert into circuit_event_version (version) select 0 where not exists (select from known)
        on conflict (is_only) do nothing returning generation
      ) select generation from known union all select generation from made`,
  );
  return row?.generation;
}

/** Gives the version of the latest event. */
export async function latest(rows: Rows): Promise<EventPosition> {
  const position = await rows.readModel((models) =>
    models.circuitEventVersion.findUnique({
      where: { isOnly: true },
      select: { generation: true, version: true },
    }),
  );
  return position ?? { generation: undefined, version: 0n };
}

interface FollowingEvents {
  readonly latest: EventPosition;
  /** In order, and not more than asked for. */
  readonly events: readonly CircuitEvent[];
}

/** Reads the events after a version, and the latest version, in one statement. */
export async function following(
  rows: Rows,
  version: bigint,
  limit: number,
): Promise<FollowingEvents> {
  const followingRows = await rows.query(
    sql<FollowingRow>`select v.generation, v.version as latest, e.version, e.kind, e.at, e.circuit_id as "circuitId",
        e.session_id as "sessionId", e.service_id as "serviceId", e.identity_id as "identityId",
        e.host_id as "hostId", e.terminator_id as "terminatorId", e.router_ids as "routerIds",
        e.link_ids as "linkIds", e.created_at as "createdAt"
      from circuit_event_version v left join lateral
        (select * from circuit_event where version > ${String(version)}::bigint order by version limit ${limit}::int) e
        on true order by e.version`,
  );
  const [first] = followingRows;
  return {
    latest: { generation: first?.generation, version: BigInt(first?.latest ?? 0) },
    events: followingRows.flatMap((row) => (row.version === null ? [] : [eventOf(row)])),
  };
}

/** The driver gives a `bigint` as a text. */
type EventRow = Omit<CircuitEvent, 'version'> & { readonly version: string };

/** Without events, the values of the event are null. */
type FollowingRow = { readonly generation: string; readonly latest: string } & (
  EventRow | { readonly version: null }
);

const eventOf = (row: EventRow): CircuitEvent => ({
  version: BigInt(row.version),
  kind: row.kind,
  at: row.at,
  circuitId: row.circuitId,
  sessionId: row.sessionId,
  serviceId: row.serviceId,
  identityId: row.identityId,
  hostId: row.hostId,
  terminatorId: row.terminatorId,
  routerIds: row.routerIds,
  linkIds: row.linkIds,
  createdAt: row.createdAt,
});
