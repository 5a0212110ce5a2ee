import { sql, type Queryable } from './sql.js';

/** Holds the lock of this number until the commit; all controllers of a database have to use the same. */
export const lockUntilCommit = (tx: Queryable, number: number): Promise<unknown> =>
  tx.query(sql`select pg_advisory_xact_lock(${number}::bigint)::text as locked`);
