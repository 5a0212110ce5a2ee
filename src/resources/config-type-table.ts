import { sql, type Queryable } from '../base/sql.js';

/** Gives the ids of the config types that have one of these ids or names. */
export async function findConfigTypes(
  store: Queryable,
  idsOrNames: readonly string[],
): Promise<string[]> {
  const rows = await store.query(
    sql<{
      id: string;
    }>`select id from config_type where id = any(${idsOrNames}::text[]) or name = any(${idsOrNames}::text[]) order by id`,
  );
  return rows.map(({ id }) => id);
}
