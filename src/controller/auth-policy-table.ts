import { sql, type Queryable } from '../base/sql.js';

/**
 * Whether the database was filled: every filled one has the default policy, which can not be
 * deleted.
 */
export async function hasDefaultAuthPolicy(store: Queryable): Promise<boolean> {
  return (await store.query(sql`select id from auth_policy where id = 'default'`)).length > 0;
}
