import { sql, type Queryable } from '../base/sql.js';

/** The facts that a controller stores about itself with each heartbeat. */
export interface Vitals {
  readonly version: string;
  /** The number of its processes that serve requests. */
  readonly processCount: number;
  /** Milliseconds since it read the change log to its end. */
  readonly feedSilenceMillis: number;
}

/** The greatest value of the column. */
const MOST_MILLIS = 2 ** 31 - 1;

/** Stores a heartbeat, with the clock of the database, since clocks of controllers may differ. */
export const storeHeartbeat = (
  store: Queryable,
  id: string,
  { version, processCount, feedSilenceMillis }: Vitals,
): Promise<unknown> =>
  store.query(
    sql`update controller set last_seen_at = clock_timestamp(), version = ${version}::text,
      process_count = ${processCount}::int,
      feed_silence_millis = ${Math.min(Math.round(feedSilenceMillis), MOST_MILLIS)}::int
      where id = ${id}::text`,
  );

/** Marks the controller as stopped at once, without the usual waiting time. */
export const endHeartbeat = (store: Queryable, id: string): Promise<unknown> =>
  store.query(sql`update controller set last_seen_at = 'epoch' where id = ${id}::text`);

/** Whether a controller of the network has the certificate with this fingerprint. */
export async function isControllerFingerprint(
  tx: Queryable,
  fingerprint: string,
): Promise<boolean> {
  const [controller] = await tx.query(
    sql`select id from controller where fingerprint = ${fingerprint}::text`,
  );
  return controller !== undefined;
}

interface JoiningController {
  readonly id: string;
  readonly ctrlAddress: string | null;
  readonly certPem: string;
  readonly fingerprint: string;
  readonly apiAddresses: object;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Inserts or updates a controller; an existing name stays. */
export const putController = (
  tx: Queryable,
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
