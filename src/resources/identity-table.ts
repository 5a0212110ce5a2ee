import { sql, type Queryable, type Sql } from '../base/sql.js';

/** Finds an identity by id or else by name; `visible` is a condition on the alias `e`. */
export async function findIdByIdOrName(
  store: Queryable,
  idOrName: string,
  visible: Sql,
): Promise<string | undefined> {
  const [identity] = await store.query(
    sql<{ id: string }>`select e.id from identity e
          where (e.id = ${idOrName}::text or e.name = ${idOrName}::text) and ${visible}
          order by e.id = ${idOrName}::text desc limit 1`,
  );
  return identity?.id;
}
