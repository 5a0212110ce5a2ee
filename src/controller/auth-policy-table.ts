import { sql, type Queryable } from '../base/sql.js';

/** Every database that was ever filled has the default policy, which nobody can delete. */
export async function hasDefaultAuthPolicy(store: Queryable): Promise<boolean> {
  return (await store.query(sql`select id from auth_policy where id = 'default'`)).length > 0;
}
