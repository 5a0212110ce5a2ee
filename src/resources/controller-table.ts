import { raw, sql, type Queryable, type Sql } from '../base/sql.js';

/** A controller without a sign of life for so many seconds counts as stopped. */
const SILENCE_SECONDS = 15;

/**
 * The condition on controllers that are running, by the clock of the database, which timestamps the
 * signs of life: clocks of controllers may differ.
 */
export const isRunningSql = (alias: string): Sql =>
  raw(
    `("${alias}"."last_seen_at" > clock_timestamp() - make_interval(secs => ${String(SILENCE_SECONDS)}))`,
  );

const INVALID_PATTERN = '2201B';

/**
 * Gives the ids of the running controllers and of those of these routers whose id or name matches a
 * regular expression as PostgreSQL knows it; undefined if it is none.
 */
export async function nodesMatching(
  store: Queryable,
  pattern: string,
  routerIds: readonly string[],
): Promise<string[] | undefined> {
  const matching = sql<{ id: string }>`
    select id from controller where (id ~ ${pattern}::text or name ~ ${pattern}::text) and ${isRunningSql('controller')}
    union all select id from router
    where id = any(${routerIds}::text[]) and (id ~ ${pattern}::text or name ~ ${pattern}::text)`;
  try {
    return (await store.query(matching)).map(({ id }) => id);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === INVALID_PATTERN) {
      return undefined;
    }
    throw error;
  }
}
