import { sql, type Queryable } from '../base/sql.js';

/** @throws what the driver throws when the database does not answer */
export async function expectAnswer(database: Queryable): Promise<void> {
  await database.query(sql`select 1 as one`);
}

/** Whether the database only reads, as a standby does; true when it does not tell. */
export async function isReadOnly(database: Queryable): Promise<boolean> {
  const [row] = await database.query(
    sql<{
      is: boolean;
    }>`select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is`,
  );
  return row?.is !== false;
}
