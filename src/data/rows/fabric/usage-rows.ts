import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * The bytes of circuits, services and identities. Statements, not models: they add to any number of
 * counters at once, and sum them up.
 */

/** The bytes of one circuit in one hour, or in a part of it. */
export interface UsageEntry {
  readonly circuitId: string;
  readonly serviceId: string;
  /** The identity of the client. */
  readonly identityId: string;
  /** The beginning of the hour. */
  readonly hour: Date;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Adds to the bytes of circuits, as far as they exist, and to those of services and identities. */
export async function add(rows: Rows, entries: readonly UsageEntry[]): Promise<void> {
  await rows.query(
    sql`with r as (
        select * from jsonb_to_recordset(${JSON.stringify(entries)}::jsonb) as ("circuitId" text, "serviceId" text,
          "identityId" text, hour timestamptz, "sentBytes" bigint, "receivedBytes" bigint)
      ), of_circuits as (
        insert into circuit_usage (circuit_id, sent_bytes, received_bytes)
        select r."circuitId", sum(r."sentBytes"), sum(r."receivedBytes") from r
        where exists (select from circuit c where c.id = r."circuitId") group by r."circuitId"
        on conflict (circuit_id) do update set sent_bytes = circuit_usage.sent_bytes + excluded.sent_bytes,
          received_bytes = circuit_usage.received_bytes + excluded.received_bytes
      ) insert into hourly_usage (hour, service_id, identity_id, sent_bytes, received_bytes)
      select r.hour, r."serviceId", r."identityId", sum(r."sentBytes"), sum(r."receivedBytes") from r
      group by r.hour, r."serviceId", r."identityId"
      on conflict (hour, service_id, identity_id) do update
        set sent_bytes = hourly_usage.sent_bytes + excluded.sent_bytes,
          received_bytes = hourly_usage.received_bytes + excluded.received_bytes`,
  );
}

/** Deletes the hours before a time. */
export const deleteBefore = (rows: Rows, before: Date): Promise<unknown> =>
  rows.writeModel((models) => models.hourlyUsage.deleteMany({ where: { hour: { lt: before } } }));

/** The dimensions of usage that rows keep apart; the others are added up. */
export type UsageKey = 'service' | 'identity' | 'hour';

export interface UsageQuery {
  readonly since: Date;
  /** The first moment that does not count. */
  readonly until: Date;
  readonly serviceId: string | undefined;
  readonly identityId: string | undefined;
  readonly keys: readonly UsageKey[];
  readonly limit: number;
}

/** Bytes of the keys that were asked for; the others are null. */
export type UsageRow = {
  readonly hour: Date | null;
  readonly serviceId: string | null;
  readonly identityId: string | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
};

/** Gives the hours in their order, and in each the largest usage first. */
export function find(rows: Rows, query: UsageQuery): Promise<UsageRow[]> {
  const { since, until, serviceId = null, identityId = null, keys, limit } = query;
  const has = (key: UsageKey): boolean => keys.includes(key);
  return rows.query(
    sql<UsageRow>`select hour, "serviceId", "identityId", sum(sent)::float8 as "sentBytes", sum(received)::float8 as "receivedBytes"
      from (select case when ${has('hour')}::boolean then hour end as hour,
          case when ${has('service')}::boolean then service_id end as "serviceId",
          case when ${has('identity')}::boolean then identity_id end as "identityId",
          sent_bytes as sent, received_bytes as received
        from hourly_usage where hour >= ${since}::timestamptz and hour < ${until}::timestamptz
          and (${serviceId}::text is null or service_id = ${serviceId}::text)
          and (${identityId}::text is null or identity_id = ${identityId}::text)) u
      group by hour, "serviceId", "identityId"
      order by hour, sum(sent) + sum(received) desc, "serviceId", "identityId" limit ${limit}::int`,
  );
}

export type CircuitBytes = Pick<UsageEntry, 'circuitId' | 'sentBytes' | 'receivedBytes'>;

/** Gives what these circuits have carried; those without a report are left out. */
export const bytesOfCircuits = (rows: Rows, ids: readonly string[]): Promise<CircuitBytes[]> =>
  rows.query(
    sql<CircuitBytes>`select circuit_id as "circuitId", sent_bytes::float8 as "sentBytes",
      received_bytes::float8 as "receivedBytes" from circuit_usage where circuit_id = any(${ids}::text[])`,
  );
