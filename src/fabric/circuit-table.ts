import { raw, sql, type Queryable } from '../base/sql.js';
import { tagsOf, type Circuit } from './circuit.js';
import { addEvents, circuitRows, nextVersions, PRUNED_EVENTS } from './circuit-event-table.js';
import type { StateTable } from './state-store.js';

type CircuitRow = {
  readonly id: string;
  readonly session_id: string;
  readonly service_id: string;
  readonly identity_id: string;
  readonly host_id: string;
  readonly terminator_id: string;
  readonly router_ids: string[];
  readonly link_ids: string[];
  readonly ingress: string;
  readonly egress: string;
  readonly binding: string;
  readonly created_at: Date;
  readonly is_live: boolean;
};

/** The table of circuits. Each write adds its events, so that both become visible at once. */
export const circuitTable = (store: Queryable): Required<StateTable<Circuit>> => ({
  async put(circuits) {
    const count = circuits.length;
    await store.query(
      sql`with ${circuitRows(circuits.map(stored))}, ${nextVersions(count)}, earlier as (
          select id from circuit where id in (select id from c)
        ), put as (
          insert into circuit (id, session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids,
            ingress, egress, binding, created_at, updated_at, tags, is_system)
          select c.id, c.session_id, c.service_id, c.identity_id, c.host_id, c.terminator_id, c.router_ids, c.link_ids,
            c.ingress, c.egress, c.binding, c.created_at, c.created_at, c.tags, false from c
          on conflict (id) do update set router_ids = excluded.router_ids, link_ids = excluded.link_ids
        ) ${addEvents(CREATED_OR_MOVED, count)}`,
    );
  },
  async remove(circuits) {
    const count = circuits.length;
    await store.query(
      sql`with ${circuitRows(circuits.map(stored))}, ${nextVersions(count)}, gone as (
          delete from circuit where id in (select id from c)
        ), ${PRUNED_EVENTS} ${addEvents(ENDED, count)}`,
    );
  },
});

const CREATED_OR_MOVED = raw(
  `case when exists (select from earlier where earlier.id = c.id) then 'MOVED' else 'CREATED' end`,
);
const ENDED = raw(`'ENDED'`);

/** The circuits of an earlier owner of the fabric. */
export interface StoredCircuits {
  readonly live: readonly Circuit[];
  /** Their sessions ended meanwhile. */
  readonly ended: readonly Circuit[];
}

/** Reads all circuits. */
export async function readCircuits(store: Queryable): Promise<StoredCircuits> {
  const rows = await store.query(
    sql<CircuitRow>`select c.*, exists (select from session s where s.id = c.session_id) as is_live from circuit c`,
  );
  const ofState = (isLive: boolean): Circuit[] =>
    rows.filter(({ is_live }) => is_live === isLive).map(circuitOf);
  return { live: ofState(true), ended: ofState(false) };
}

/** The routers of the latest circuit of each session, in order; empty without circuits. */
export async function routePathsOf(
  store: Queryable,
  sessionIds: readonly string[],
): Promise<string[][]> {
  const rows = await store.query(
    sql<{
      session_id: string;
      router_ids: string[];
    }>`select distinct on (session_id) session_id, router_ids
      from circuit where session_id = any(${[...sessionIds]}::text[]) order by session_id, created_at desc, id`,
  );
  const paths = new Map(rows.map(({ session_id, router_ids }) => [session_id, router_ids]));
  return sessionIds.map((id) => paths.get(id) ?? []);
}

/** The milliseconds without traffic after which circuits of these services end, where there is a limit. */
export async function idleLimits(
  store: Queryable,
  serviceIds: readonly string[],
): Promise<Map<string, number>> {
  if (serviceIds.length === 0) return new Map();
  const rows = await store.query(
    sql<{ id: string; millis: number }>`select id, max_idle_time_millis as millis from service
      where id = any(${[...serviceIds]}::text[]) and max_idle_time_millis > 0`,
  );
  return new Map(rows.map(({ id, millis }) => [id, millis]));
}

const circuitOf = (row: CircuitRow): Circuit => ({
  id: row.id,
  sessionId: row.session_id,
  serviceId: row.service_id,
  identityId: row.identity_id,
  hostId: row.host_id,
  terminatorId: row.terminator_id,
  instanceId: '',
  routerIds: row.router_ids,
  linkIds: row.link_ids,
  ingress: row.ingress,
  egress: row.egress,
  binding: row.binding,
  createdAt: row.created_at,
});

const stored = (circuit: Circuit): object => ({
  id: circuit.id,
  session_id: circuit.sessionId,
  service_id: circuit.serviceId,
  identity_id: circuit.identityId,
  host_id: circuit.hostId,
  terminator_id: circuit.terminatorId,
  router_ids: circuit.routerIds,
  link_ids: circuit.linkIds,
  ingress: circuit.ingress,
  egress: circuit.egress,
  binding: circuit.binding,
  created_at: circuit.createdAt,
  tags: tagsOf(circuit),
});
