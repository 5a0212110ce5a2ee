import { isDisabledSql } from '../data/identity/index.js';
import { sql, type Queryable } from '../base/sql.js';

/** The conditions of access beside policies. */
type ServiceFactsRow = {
  /** Whether the service has a terminator. */
  readonly is_hosted: boolean;
  /** Whether the identity is disabled. */
  readonly is_disabled: boolean;
  readonly disabled_routers: string[];
};

export async function findServiceFacts(
  store: Queryable,
  identityId: string,
  serviceId: string,
  now: Date,
): Promise<ServiceFactsRow | undefined> {
  const [row] = await store.query(
    sql<ServiceFactsRow>`select exists (select from terminator where service_id = ${serviceId}::text) as is_hosted,
      exists (select from identity i where id = ${identityId}::text and ${isDisabledSql('i', now)}) as is_disabled,
      array(select id from router where is_edge and disabled) as disabled_routers`,
  );
  return row;
}
