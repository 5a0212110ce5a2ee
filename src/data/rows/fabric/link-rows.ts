import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * The links between routers, as the owner of the fabric stores them. Statements, not models, but for
 * the costs: they write or delete any number of rows at once.
 */

type LinkRow = TableRow<'Link'>;

/** A link between two routers, as the router that dialed it reports it. */
export interface Link extends Pick<
  LinkRow,
  'id' | 'iteration' | 'protocol' | 'dialAddress' | 'staticCost' | 'sourceLatency' | 'createdAt'
> {
  readonly sourceId: LinkRow['sourceRouterId'];
  readonly destinationId: LinkRow['destRouterId'];
  readonly connections: readonly LinkConnection[];
  /** Set by hand: no path has it. */
  readonly isDown: LinkRow['down'];
  readonly destinationLatency: LinkRow['destLatency'];
}

/** A connection of a link, with its addresses at both routers. */
export interface LinkConnection {
  readonly type: string;
  readonly source: string;
  readonly dest: string;
}

/** The facts of a link that decide about paths. */
export type LinkCosts = Pick<
  Link,
  'id' | 'isDown' | 'staticCost' | 'sourceLatency' | 'destinationLatency'
>;

/** A link with its ends and its costs. */
export type LinkBetween = LinkCosts & Pick<Link, 'sourceId' | 'destinationId'>;

/** Stores links. Values set by hand stay, unless the link was made again. */
export async function put(rows: Rows, links: readonly Link[]): Promise<void> {
  await rows.query(
    sql`insert into link (id, source_router_id, dest_router_id, iteration, protocol, dial_address, static_cost, down,
        source_latency, dest_latency, connections, created_at, updated_at)
      select l.id, l."sourceId", l."destinationId", l.iteration, l.protocol, l."dialAddress", l."staticCost", l."isDown",
        l."sourceLatency", l."destinationLatency", l.connections, l."createdAt", l."createdAt"
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) l (id text, "sourceId" text, "destinationId" text,
        iteration int, protocol text, "dialAddress" text, "staticCost" int, "isDown" boolean,
        "sourceLatency" int, "destinationLatency" int, connections jsonb, "createdAt" timestamptz)
      on conflict (id) do update set source_latency = excluded.source_latency, dest_latency = excluded.dest_latency,
        connections = excluded.connections, iteration = excluded.iteration, dial_address = excluded.dial_address,
        protocol = excluded.protocol, created_at = excluded.created_at,
        static_cost = case when link.iteration = excluded.iteration then link.static_cost else excluded.static_cost end,
        down = link.iteration = excluded.iteration and link.down`,
  );
}

export async function remove(rows: Rows, ids: readonly string[]): Promise<void> {
  await rows.query(sql`delete from link where id = any(${ids}::text[])`);
}

/** Empties the table, and gives the links of an earlier owner of the fabric. */
export const takeAll = (rows: Rows): Promise<Link[]> =>
  rows.query(
    sql<Link>`delete from link returning id, source_router_id as "sourceId", dest_router_id as "destinationId",
      iteration, protocol, dial_address as "dialAddress", connections, static_cost as "staticCost", down as "isDown",
      source_latency as "sourceLatency", dest_latency as "destinationLatency", created_at as "createdAt"`,
  );

/** Reads the links that the owner of the fabric has stored. */
export async function allBetween(rows: Rows): Promise<LinkBetween[]> {
  const links = await rows.readModel((models) =>
    models.link.findMany({
      select: {
        ...{ id: true, sourceRouterId: true, destRouterId: true, staticCost: true },
        ...{ down: true, sourceLatency: true, destLatency: true },
      },
    }),
  );
  return links.map(({ sourceRouterId, destRouterId, down, destLatency, ...others }) => ({
    ...others,
    sourceId: sourceRouterId,
    destinationId: destRouterId,
    isDown: down,
    destinationLatency: destLatency,
  }));
}
