import { sql, type Queryable } from '../base/sql.js';

/** A controller without a sign of life for so long counts as stopped. */
const SILENCE_MILLIS = 15_000;

/**
 * Gives those of these controllers that are running, by the clock of the database, which timestamps
 * the signs of life: clocks of controllers may differ.
 */
export async function runningControllers(
  store: Queryable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await store.query(
    sql<{ id: string }>`select id from controller where id = any(${ids}::text[])
      and last_seen_at > clock_timestamp() - make_interval(secs => ${SILENCE_MILLIS / 1000}::float8)`,
  );
  return new Set(rows.map(({ id }) => id));
}
