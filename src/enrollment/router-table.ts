import type { JsonObject } from '../base/row.js';
import { sql, type Queryable } from '../base/sql.js';
import type { LinkListener, RouterFace } from '../presence/index.js';

/** The addresses of a router; reported ones are null while it is not connected. */
export type RouterAddressRow = {
  readonly ctrl_chan_listeners: JsonObject;
  readonly hostname: string | null;
  readonly listeners: RouterFace['listeners'] | null;
  readonly link_listeners: readonly LinkListener[] | null;
};

/** Reads the addresses of all other routers that advertise some to clients. */
export const addressesOfOtherRouters = (
  tx: Queryable,
  routerId: string,
): Promise<RouterAddressRow[]> =>
  tx.query(
    sql<RouterAddressRow>`select r.ctrl_chan_listeners, p.hostname, p.listeners, p.link_listeners
      from router r left join router_presence p on p.router_id = r.id
      where r.id <> ${routerId}::text and (p.router_id is not null or r.ctrl_chan_listeners <> '{}'::jsonb)`,
  );
