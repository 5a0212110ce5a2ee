import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected } from '../../prisma/models.js';
import { routerPresence } from '../router/index.js';

/* The traces of identities: few, and every controller has them in memory. */

export const TRACE_CHANNELS = ['selectPath', 'establishPath'] as const;
export type TraceChannel = (typeof TRACE_CHANNELS)[number];

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly IdentityTrace: { readonly channels: readonly TraceChannel[] };
  }
}

const TRACE = {
  ...{ identityId: true, enabled: true, traceId: true, channels: true, until: true },
} as const;

/** Detailed logging of the work for one identity. */
export type IdentityTrace = Selected<'IdentityTrace', typeof TRACE>;

/**
 * Gives false for an unknown identity. One statement takes the next version, waits for somebody who
 * just deletes the identity, and writes.
 */
export async function put(
  rows: Rows,
  { identityId, enabled, traceId, channels, until }: IdentityTrace,
): Promise<boolean> {
  const stored = await rows.query(
    sql`with ${routerPresence.NEXT_VERSION}, i as (select id from identity where id = ${identityId}::text for key share)
      insert into identity_trace (identity_id, version, enabled, trace_id, channels, until)
      select i.id, v.version, ${enabled}::boolean, ${traceId}::text, ${channels}::text[], ${until}::timestamptz
      from v, i
      on conflict (identity_id) do update set version = excluded.version, enabled = excluded.enabled,
        trace_id = excluded.trace_id, channels = excluded.channels, until = excluded.until
      returning identity_id`,
  );
  return stored.length > 0;
}

/** The traces that were written after a version, in their order. */
export const since = (rows: Rows, version: bigint): Promise<IdentityTrace[]> =>
  rows.readModel((models) =>
    models.identityTrace.findMany({
      where: { version: { gt: version } },
      select: TRACE,
      orderBy: { version: 'asc' },
    }),
  );

export const deleteEndedBefore = (rows: Rows, before: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.identityTrace.deleteMany({ where: { until: { lt: before } } }),
  );
