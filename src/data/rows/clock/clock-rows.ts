import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/* The clock of the database: one for all controllers, whatever their own clocks say. */

/** In a selection of its own it is read once, and indexes serve comparisons with it. */
export const NOW = raw('(select clock_timestamp())');

/** What is due begins and ends within this time, unless an access rule keeps it from beginning. */
export const JUST_NOW = raw(`(select clock_timestamp() - interval '1 minute')`);

/** The time of the database. */
export async function now(rows: Rows): Promise<Date> {
  const [row] = await rows.query(sql<{ now: Date }>`select ${NOW} as now`);
  if (!row) throw new Error('the database has no time');
  return row.now;
}
