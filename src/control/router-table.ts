import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import type { RouterInterface } from './emitted/messages.js';

/** Gives the fingerprint of an enrolled router that may connect. */
export async function fingerprintOfRouter(
  store: Store,
  routerId: string,
): Promise<string | undefined> {
  const [row] = await store.query(
    sql<{ fingerprint: string }>`select fingerprint from router
      where id = ${routerId}::text and is_verified and not disabled and fingerprint is not null`,
  );
  return row?.fingerprint;
}

/** Stores the network interfaces of a router, and of the identity of a router with a tunneler. */
export async function storeInterfaces(
  store: Store,
  routerId: string,
  interfaces: readonly RouterInterface[],
): Promise<void> {
  const json = JSON.stringify(interfaces.map(storedInterface));
  await store.query(
    sql`with r as (update router set interfaces = ${json}::jsonb where id = ${routerId}::text returning id)
      update identity i set interfaces = ${json}::jsonb from r where i.id = r.id`,
  );
}

/** The bits of the flags of an interface. */
const FLAGS = { isUp: 1, isBroadcast: 2, isLoopback: 4, isMulticast: 16, isRunning: 32 };

const storedInterface = ({ flags, ...values }: RouterInterface): object => ({
  ...values,
  ...Object.fromEntries(
    Object.entries(FLAGS).map(([name, bit]) => [name, Math.floor(flags / bit) % 2 === 1]),
  ),
});
