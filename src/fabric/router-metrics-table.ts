import { sql, type Queryable } from '../base/sql.js';
import type { Metric } from './metrics-report.js';
import type { StateTable } from './state-store.js';

/** The latest metrics of a router, under its id. */
export interface RouterMetrics {
  readonly id: string;
  readonly measuredAt: Date;
  readonly metrics: readonly Metric[];
}

/** The table of the latest metrics of routers; they go with their router. */
export const metricsTable = (store: Queryable): StateTable<RouterMetrics> => ({
  async put(states) {
    const rows = states.map(({ id, measuredAt, metrics }) => ({
      router_id: id,
      measured_at: measuredAt,
      metrics,
    }));
    await store.query(
      sql`insert into router_metrics (router_id, measured_at, metrics)
        select m.router_id, m.measured_at, m.metrics
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) m (router_id text, measured_at timestamptz, metrics jsonb)
        where exists (select from router r where r.id = m.router_id)
        on conflict (router_id) do update set measured_at = excluded.measured_at, metrics = excluded.metrics`,
    );
  },
});

export interface MetricsQuery {
  readonly routerId: string;
  /** Of any entity if it is not set. */
  readonly entityId?: string | null | undefined;
  /** Of any name if they are not set. */
  readonly names?: readonly string[] | null | undefined;
}

/** What a router has measured of one thing. */
export type ReportedMetric = {
  readonly measuredAt: Date;
  readonly name: string;
  readonly kind: Metric['kind'];
  readonly entityId: string | null;
  readonly values: Metric['values'];
};

/** Gives the latest metrics of a router, by their names. */
export function readMetrics(store: Queryable, query: MetricsQuery): Promise<ReportedMetric[]> {
  const { routerId, entityId = null, names = null } = query;
  const wanted = names && [...names];
  return store.query(
    sql<ReportedMetric>`select r.measured_at as "measuredAt", m.name, m.kind, m."entityId", m.values
      from router_metrics r, jsonb_to_recordset(r.metrics) m (name text, kind text, "entityId" text, values jsonb)
      where r.router_id = ${routerId}::text and (${entityId}::text is null or m."entityId" = ${entityId}::text)
        and (${wanted}::text[] is null or m.name = any(${wanted}::text[]))
      order by m.name, m."entityId", m.kind`,
  );
}
