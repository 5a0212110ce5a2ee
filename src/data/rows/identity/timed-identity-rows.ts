import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { clock } from '../clock/index.js';

/* Identities with times. Statements, not models: the clock of the database decides, and models do not know it. */

/** The ids of those that are due, which have waited longest first. */
export async function due(rows: Rows, limit: number): Promise<string[]> {
  const identities = await rows.query(
    sql<{ id: string }>`select id from identity where next_change_at <= ${clock.NOW}
      order by next_change_at, id limit ${limit}::int`,
  );
  return identities.map(({ id }) => id);
}

/** Milliseconds until the next one begins or ends; null without one. */
export async function millisUntilDue(rows: Rows): Promise<number | null> {
  const [row] = await rows.query(
    sql<{
      millis: number | null;
    }>`select extract(epoch from min(next_change_at) - ${clock.NOW})::float8 * 1000 as millis
      from identity where next_change_at is not null`,
  );
  return row?.millis ?? null;
}
