import { sql, type Queryable } from '../base/sql.js';

/** The ids of the services that have a terminator. */
export async function hostedServices(store: Queryable): Promise<string[]> {
  const rows = await store.query(
    sql<{ id: string }>`select distinct service_id as id from terminator`,
  );
  return rows.map(({ id }) => id);
}
