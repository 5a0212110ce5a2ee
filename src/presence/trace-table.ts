import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import { NEXT_VERSION } from './presence-table.js';
import type { IdentityTrace, TraceChannel } from './router-commands.js';

/** The traces of identities: few, and cached in memory by every controller. */
export class TraceTable {
  constructor(private readonly store: Store) {}

  /** Gives false for an unknown identity. */
  async put({ identityId, enabled, traceId, channels, until }: IdentityTrace): Promise<boolean> {
    const rows = await this.store.query(
      // Waits for somebody who just deletes the identity.
      sql`with ${NEXT_VERSION}, i as (select id from identity where id = ${identityId}::text for key share)
        insert into identity_trace (identity_id, version, enabled, trace_id, channels, until)
        select i.id, v.version, ${enabled}::boolean, ${traceId}::text, ${channels}::text[], ${until}::timestamptz
        from v, i
        on conflict (identity_id) do update set version = excluded.version, enabled = excluded.enabled,
          trace_id = excluded.trace_id, channels = excluded.channels, until = excluded.until
        returning identity_id`,
    );
    return rows.length > 0;
  }

  async since(version: bigint): Promise<IdentityTrace[]> {
    const rows = await this.store.query(
      sql<TraceRow>`select * from identity_trace where version > ${String(version)}::bigint order by version`,
    );
    return rows.map(traceOf);
  }

  async deleteEndedBefore(before: Date): Promise<void> {
    await this.store.query(sql`delete from identity_trace where until < ${before}::timestamptz`);
  }
}

type TraceRow = {
  readonly identity_id: string;
  readonly enabled: boolean;
  readonly trace_id: string;
  readonly channels: TraceChannel[];
  readonly until: Date;
};

const traceOf = (row: TraceRow): IdentityTrace => ({
  identityId: row.identity_id,
  enabled: row.enabled,
  traceId: row.trace_id,
  channels: row.channels,
  until: row.until,
});
