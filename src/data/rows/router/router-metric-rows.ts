import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * The latest metrics of routers; they go with their router. Statements, not models: they write any
 * number of rows at once, and the database looks into the JSON.
 */

/** The kinds of metrics, by the names of the field. */
export type MetricKind = 'intValue' | 'floatValue' | 'meter' | 'histogram' | 'timer';

/** Something that a router measures. */
export interface Metric {
  readonly kind: MetricKind;
  readonly name: string;
  /** The id of the link, or of the controller, that is measured; undefined: the router itself. */
  readonly entityId?: string;
  /** Finite numbers by the names of the field, such as `p95`; `value` where there is one alone. */
  readonly values: Readonly<Record<string, number>>;
}

/** The latest metrics of a router, under its id. */
export interface RouterMetrics {
  readonly id: string;
  readonly measuredAt: Date;
  readonly metrics: readonly Metric[];
}

/** Stores metrics, as far as their routers exist. */
export async function put(rows: Rows, metrics: readonly RouterMetrics[]): Promise<void> {
  await rows.query(
    sql`insert into router_metrics (router_id, measured_at, metrics)
      select m.id, m."measuredAt", m.metrics
      from jsonb_to_recordset(${JSON.stringify(metrics)}::jsonb) m (id text, "measuredAt" timestamptz, metrics jsonb)
      where exists (select from router r where r.id = m.id)
      on conflict (router_id) do update set measured_at = excluded.measured_at, metrics = excluded.metrics`,
  );
}

export interface MetricsQuery {
  readonly routerId: string;
  /** Of any entity if it is not set. */
  readonly entityId?: string | null | undefined;
  /** Of any name if they are not set. */
  readonly names?: readonly string[] | null | undefined;
}

/** A measurement of a router, of one thing. */
export type ReportedMetric = {
  readonly measuredAt: Date;
  readonly name: string;
  readonly kind: MetricKind;
  readonly entityId: string | null;
  readonly values: Metric['values'];
};

/** Gives the latest metrics of a router, by their names. */
export function find(rows: Rows, query: MetricsQuery): Promise<ReportedMetric[]> {
  const { routerId, entityId = null, names = null } = query;
  const wanted = names && [...names];
  return rows.query(
    sql<ReportedMetric>`select r.measured_at as "measuredAt", m.name, m.kind, m."entityId", m.values
      from router_metrics r, jsonb_to_recordset(r.metrics) m (name text, kind text, "entityId" text, values jsonb)
      where r.router_id = ${routerId}::text and (${entityId}::text is null or m."entityId" = ${entityId}::text)
        and (${wanted}::text[] is null or m.name = any(${wanted}::text[]))
      order by m.name, m."entityId", m.kind`,
  );
}
