import { sql, type Queryable } from '../base/sql.js';
import type { Link, LinkConnection, LinkCosts } from './links.js';
import type { StateTable } from './state-store.js';

type LinkRow = {
  readonly id: string;
  readonly source_router_id: string;
  readonly dest_router_id: string;
  readonly iteration: number;
  readonly protocol: string;
  readonly dial_address: string;
  readonly static_cost: number;
  readonly down: boolean;
  readonly source_latency: number;
  readonly dest_latency: number;
  readonly connections: LinkConnection[];
  readonly created_at: Date;
};

/** The table of links. What was set by hand stays, unless the link was made again. */
export const linkTable = (store: Queryable): StateTable<Link> => ({
  async put(links) {
    await store.query(
      sql`insert into link (id, source_router_id, dest_router_id, iteration, protocol, dial_address, static_cost, down,
          source_latency, dest_latency, connections, created_at, updated_at)
        select l.id, l.source_router_id, l.dest_router_id, l.iteration, l.protocol, l.dial_address, l.static_cost, l.down,
          l.source_latency, l.dest_latency, l.connections, l.created_at, l.created_at
        from jsonb_to_recordset(${JSON.stringify(links.map(stored))}::jsonb) l (id text, source_router_id text,
          dest_router_id text, iteration int, protocol text, dial_address text, static_cost int, down boolean,
          source_latency int, dest_latency int, connections jsonb, created_at timestamptz)
        on conflict (id) do update set source_latency = excluded.source_latency, dest_latency = excluded.dest_latency,
          connections = excluded.connections, iteration = excluded.iteration, dial_address = excluded.dial_address,
          protocol = excluded.protocol, created_at = excluded.created_at,
          static_cost = case when link.iteration = excluded.iteration then link.static_cost else excluded.static_cost end,
          down = link.iteration = excluded.iteration and link.down`,
    );
  },
  async remove(links) {
    await store.query(sql`delete from link where id = any(${links.map(({ id }) => id)}::text[])`);
  },
});

/** Empties the table, and gives the links of an earlier owner of the fabric. */
export async function takeLinks(store: Queryable): Promise<Link[]> {
  const rows = await store.query(sql<LinkRow>`delete from link returning *`);
  return rows.map((row) => ({
    id: row.id,
    sourceId: row.source_router_id,
    destinationId: row.dest_router_id,
    iteration: row.iteration,
    protocol: row.protocol,
    dialAddress: row.dial_address,
    staticCost: row.static_cost,
    isDown: row.down,
    sourceLatency: row.source_latency,
    destinationLatency: row.dest_latency,
    connections: row.connections,
    createdAt: row.created_at,
  }));
}

type LinkCostRow = Pick<
  LinkRow,
  | 'id'
  | 'source_router_id'
  | 'dest_router_id'
  | 'static_cost'
  | 'down'
  | 'source_latency'
  | 'dest_latency'
>;

/** A link with its ends and its costs. */
export type LinkBetween = LinkCosts & Pick<Link, 'sourceId' | 'destinationId'>;

/** Reads the links that the owner of the fabric has stored. */
export async function readLinks(store: Queryable): Promise<LinkBetween[]> {
  const rows = await store.query(
    sql<LinkCostRow>`select id, source_router_id, dest_router_id, static_cost, down,
      source_latency, dest_latency from link`,
  );
  return rows.map((row) => ({
    id: row.id,
    sourceId: row.source_router_id,
    destinationId: row.dest_router_id,
    staticCost: row.static_cost,
    isDown: row.down,
    sourceLatency: row.source_latency,
    destinationLatency: row.dest_latency,
  }));
}

const stored = (link: Link): object => ({
  id: link.id,
  source_router_id: link.sourceId,
  dest_router_id: link.destinationId,
  iteration: link.iteration,
  protocol: link.protocol,
  dial_address: link.dialAddress,
  static_cost: link.staticCost,
  down: link.isDown,
  source_latency: link.sourceLatency,
  dest_latency: link.destinationLatency,
  connections: link.connections,
  created_at: link.createdAt,
});
