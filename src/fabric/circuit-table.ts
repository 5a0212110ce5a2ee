import { sql, type Queryable } from '../base/sql.js';
import { tagsOf, type Circuit } from './circuit.js';
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

/** The table of circuits. */
export const circuitTable = (store: Queryable): StateTable<Circuit> => ({
  async put(circuits) {
    await store.query(
      sql`insert into circuit (id, session_id, service_id, identity_id, host_id, terminator_id, router_ids, link_ids,
          ingress, egress, binding, created_at, updated_at, tags, is_system)
        select c.id, c.session_id, c.service_id, c.identity_id, c.host_id, c.terminator_id,
          array(select jsonb_array_elements_text(c.router_ids)), array(select jsonb_array_elements_text(c.link_ids)),
          c.ingress, c.egress, c.binding, c.created_at, c.created_at, c.tags, false
        from jsonb_to_recordset(${JSON.stringify(circuits.map(stored))}::jsonb) c (id text, session_id text, service_id text,
          identity_id text, host_id text, terminator_id text, router_ids jsonb, link_ids jsonb, ingress text, egress text,
          binding text, created_at timestamptz, tags jsonb)
        on conflict (id) do update set router_ids = excluded.router_ids, link_ids = excluded.link_ids`,
    );
  },
  async remove(circuits) {
    await store.query(
      sql`delete from circuit where id = any(${circuits.map(({ id }) => id)}::text[])`,
    );
  },
});

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
