import { sql, type Queryable } from '../base/sql.js';

type NameRow = { id: string; name: string };

/** The names of service policies, in the order of their ids. */
export const namesOfServicePolicies = (
  store: Queryable,
  ids: readonly string[],
): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select id, name from service_policy where id = any(${ids}::text[]) order by id`,
  );
