import { column, raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';

/*
 * The controllers of the network. Signs of life have the clock of the database, since clocks of controllers
 * may differ: a statement stores and compares them.
 */

/** A controller without a sign of life for so many seconds counts as stopped. */
const SILENCE_SECONDS = 15;

/** The condition on controllers that are running. */
export const isRunningSql = (alias: string): Sql =>
  raw(
    `("${alias}"."last_seen_at" > clock_timestamp() - make_interval(secs => ${String(SILENCE_SECONDS)}))`,
  );

/** The interfaces whose addresses clients learn, by their names in `/version`. */
export const CLIENT_INTERFACE = 'edge-client';
export const OIDC_INTERFACE = 'edge-oidc';

/** How clients reach a controller, and how far they may leave it. */
export interface ClientDoor {
  /** The address of its interface for clients. */
  readonly url: string;
  /**
   * Whether its clients may use other controllers: it announces OpenID Connect, on which clients with
   * several addresses insist.
   */
  readonly isOneOfMany: boolean;
}

const clientUrl = (alias: string): Sql =>
  sql`(${column(alias, 'api_addresses')} -> ${CLIENT_INTERFACE}::text -> 0 ->> 'url')`;

/**
 * The condition on the controllers that clients of a controller may use: itself, and others that run, one
 * for each address. Controllers behind a balancer share one; the newest counts, since an older one may be gone.
 */
export function isForClientsSql(alias: string, { url, isOneOfMany }: ClientDoor): Sql {
  const isUsable = (of: string): Sql => {
    const isOwn = sql`${clientUrl(of)} = ${url}::text`;
    const isOther = sql`(${column(of, 'api_addresses')} ? ${OIDC_INTERFACE}::text and ${isRunningSql(of)})`;
    return isOneOfMany ? sql`(${isOwn} or ${isOther})` : isOwn;
  };
  return sql`(${isUsable(alias)} and not exists (select from controller newer
    where ${isUsable('newer')} and ${clientUrl('newer')} = ${clientUrl(alias)}
      and (newer.last_joined_at, newer.id) > (${column(alias, 'last_joined_at')}, ${column(alias, 'id')})))`;
}

/** The facts that a controller stores about itself with each heartbeat. */
export interface Vitals {
  readonly version: string;
  /** The number of its processes that serve requests. */
  readonly processCount: number;
  /** Milliseconds since it read the change log to its end. */
  readonly feedSilenceMillis: number;
}

/** The greatest value of the column. */
const MAX_MILLIS = 2 ** 31 - 1;

export const beat = (
  rows: Rows,
  id: string,
  { version, processCount, feedSilenceMillis }: Vitals,
): Promise<unknown> =>
  rows.query(
    sql`update controller set last_seen_at = clock_timestamp(), version = ${version}::text,
      process_count = ${processCount}::int,
      feed_silence_millis = ${Math.min(Math.round(feedSilenceMillis), MAX_MILLIS)}::int
      where id = ${id}::text`,
  );

/** Marks the controller as stopped at once, without the usual waiting time. */
export const endHeartbeat = (rows: Rows, id: string): Promise<unknown> =>
  rows.writeModel((models) =>
    models.controller.updateMany({ where: { id }, data: { lastSeenAt: new Date(0) } }),
  );

/** Whether a controller of the network has the certificate with this fingerprint. */
export const hasFingerprint = async (tx: Rows, fingerprint: string): Promise<boolean> =>
  (await tx.readModel((models) => models.controller.count({ where: { fingerprint } }))) > 0;

type JoiningController = Pick<
  TableRow<'Controller'>,
  'id' | 'ctrlAddress' | 'certPem' | 'fingerprint' | 'apiAddresses'
> & { readonly notBefore: Date; readonly notAfter: Date };

/** Inserts or updates a controller; an existing name stays. */
export const put = (
  tx: Rows,
  { id, ctrlAddress, certPem, fingerprint, apiAddresses, notBefore, notAfter }: JoiningController,
  now: Date,
): Promise<unknown> =>
  tx.query(
    sql`insert into controller (id, created_at, updated_at, name, ctrl_address, cert_pem, fingerprint, api_addresses, not_before, not_after, last_joined_at, last_seen_at)
      values (${id}::text, ${now}::timestamptz, ${now}::timestamptz, ${`controller-${id}`}::text, ${ctrlAddress}::text,
        ${certPem}::text, ${fingerprint}::text, ${JSON.stringify(apiAddresses)}::jsonb,
        ${notBefore}::timestamptz, ${notAfter}::timestamptz, ${now}::timestamptz, clock_timestamp())
      on conflict (id) do update set updated_at = excluded.updated_at, ctrl_address = excluded.ctrl_address,
        cert_pem = excluded.cert_pem, fingerprint = excluded.fingerprint, api_addresses = excluded.api_addresses,
        not_before = excluded.not_before, not_after = excluded.not_after,
        last_joined_at = excluded.last_joined_at, last_seen_at = excluded.last_seen_at returning id`,
  );

const ADDRESSES = { ctrlAddress: true, certPem: true, apiAddresses: true } as const;

/** The addresses of all controllers of the network, running or not, with their certificates. */
export const addresses = (tx: Rows): Promise<Selected<'Controller', typeof ADDRESSES>[]> =>
  tx.readModel((models) =>
    models.controller.findMany({ select: ADDRESSES, orderBy: { id: 'asc' } }),
  );

const INVALID_PATTERN = '2201B';

/**
 * Gives the ids of the running controllers and of those of these routers whose id or name matches a
 * regular expression as PostgreSQL knows it; undefined if it is none. Models have no regular expressions,
 * and one statement asks both tables.
 */
export async function nodesMatching(
  rows: Rows,
  pattern: string,
  routerIds: readonly string[],
): Promise<string[] | undefined> {
  const matching = sql<{ id: string }>`
    select id from controller where (id ~ ${pattern}::text or name ~ ${pattern}::text) and ${isRunningSql('controller')}
    union all select id from router
    where id = any(${routerIds}::text[]) and (id ~ ${pattern}::text or name ~ ${pattern}::text)`;
  try {
    return (await rows.query(matching)).map(({ id }) => id);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === INVALID_PATTERN) {
      return undefined;
    }
    throw error;
  }
}
