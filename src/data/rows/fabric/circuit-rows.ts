import type { JsonObject } from '../../../base/row.js';
import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { addEvents, circuitRows, nextVersions, PRUNED_EVENTS } from './circuit-event-rows.js';

/*
 * Circuits. Statements, not models: they write any number of circuits, and each write adds its events,
 * so that both become visible at once.
 */

type CircuitRow = TableRow<'Circuit'>;

/**
 * A circuit as the owner of the fabric stores it: `identityId` is the client, `ingress` and `egress` are
 * the addresses of both ends at their routers.
 */
export interface StoredCircuit extends Pick<
  CircuitRow,
  | 'id'
  | 'sessionId'
  | 'serviceId'
  | 'identityId'
  | 'hostId'
  | 'terminatorId'
  | 'ingress'
  | 'egress'
  | 'binding'
  | 'createdAt'
> {
  /** From the router of the client to that of the host. */
  readonly routerIds: readonly string[];
  readonly linkIds: readonly string[];
}

/** Stores circuits that are new or have moved. */
export async function put(
  rows: Rows,
  circuits: readonly (StoredCircuit & { readonly tags: JsonObject })[],
): Promise<void> {
  const count = circuits.length;
  await rows.query(
    sql`with ${circuitRows(circuits)}, ${nextVersions(count)}, earlier as (
        select id from circuit where id in (select id from c)
      ), put as (
        insert into circuit (id, session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids,
          ingress, egress, binding, created_at, updated_at, tags, is_system)
        select c.id, c.session_id, c.service_id, c.identity_id, c.host_id, c.terminator_id, c.router_ids, c.link_ids,
          c.ingress, c.egress, c.binding, c.created_at, c.created_at, c.tags, false from c
        on conflict (id) do update set router_ids = excluded.router_ids, link_ids = excluded.link_ids
      ) ${addEvents(CREATED_OR_MOVED, count)}`,
  );
}

/** Deletes circuits, and the oldest events. */
export async function remove(rows: Rows, circuits: readonly StoredCircuit[]): Promise<void> {
  const count = circuits.length;
  await rows.query(
    sql`with ${circuitRows(circuits)}, ${nextVersions(count)}, gone as (
        delete from circuit where id in (select id from c)
      ), ${PRUNED_EVENTS} ${addEvents(ENDED, count)}`,
  );
}

const CREATED_OR_MOVED = raw(
  `case when exists (select from earlier where earlier.id = c.id) then 'MOVED' else 'CREATED' end`,
);
const ENDED = raw(`'ENDED'`);

/** Reads all circuits, and whether their sessions exist: no relation leads to a session. */
export const all = (rows: Rows): Promise<(StoredCircuit & { readonly isLive: boolean })[]> =>
  rows.query(
    sql<StoredCircuit & { readonly isLive: boolean }>`select c.id, c.session_id as "sessionId",
        c.service_id as "serviceId", c.identity_id as "identityId", c.host_id as "hostId",
        c.terminator_id as "terminatorId", c.router_ids as "routerIds", c.link_ids as "linkIds", c.ingress, c.egress,
        c.binding, c.created_at as "createdAt", exists (select from session s where s.id = c.session_id) as "isLive"
      from circuit c`,
  );

/** The routers of the latest circuit of each session, in order; empty without circuits. */
export async function routePathsOf(
  rows: Rows,
  sessionIds: readonly string[],
): Promise<(readonly string[])[]> {
  const latest = await rows.query(
    sql<
      Pick<CircuitRow, 'sessionId' | 'routerIds'>
    >`select distinct on (session_id) session_id as "sessionId", router_ids as "routerIds"
      from circuit where session_id = any(${sessionIds}::text[]) order by session_id, created_at desc, id`,
  );
  const paths = new Map(latest.map(({ sessionId, routerIds }) => [sessionId, routerIds]));
  return sessionIds.map((id) => paths.get(id) ?? []);
}
