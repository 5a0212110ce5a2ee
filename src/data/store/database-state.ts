import { sql, type Queryable } from '../../base/sql.js';

/* Statements, not models: they ask the server itself, and no table. */

/** @throws the error of the driver when the database does not answer */
export async function expectAnswer(database: Queryable): Promise<void> {
  await database.query(sql`select 1 as one`);
}

/** Whether the database is read-only, such as a standby; true when it gives no answer. */
export async function isReadOnly(database: Queryable): Promise<boolean> {
  const [row] = await database.query(
    sql<{
      isReadOnly: boolean;
    }>`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  );
  return row?.isReadOnly !== false;
}
