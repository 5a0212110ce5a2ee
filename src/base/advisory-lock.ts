import { sql, type Queryable } from './sql.js';

/**
 * Takes an advisory lock until the commit; all controllers of a database must use the same number.
 */
export const lockUntilCommit = (tx: Queryable, number: number): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${number}::bigint)::text as locked`);

/** The same lock, shared with other holders that share it. */
export const shareLockUntilCommit = (tx: Queryable, number: number): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock_shared(${number}::bigint)::text as locked`);
