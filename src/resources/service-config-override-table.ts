import { sql, type Queryable } from '../base/sql.js';

/** A config that an identity uses for a service instead of the service's own. */
interface OverrideRow {
  readonly identityId: string;
  readonly serviceId: string;
  readonly configId: string;
}

export const allOverrides = (store: Queryable): Promise<OverrideRow[]> =>
  store.query(
    sql<OverrideRow>`select identity_id as "identityId", service_id as "serviceId", config_id as "configId" from service_config_override`,
  );

/** The form in the change log. */
type LoggedOverride = { serviceId: string; configId: string };

export const overridesOfIdentity = (tx: Queryable, identityId: string): Promise<LoggedOverride[]> =>
  tx.query(
    sql<LoggedOverride>`select service_id as "serviceId", config_id as "configId" from service_config_override
      where identity_id = ${identityId}::text order by service_id, config_type_id`,
  );

/** An override with the names of the service and of the config. */
type NamedOverrideRow = {
  identity_id: string;
  service_id: string;
  service_name: string;
  config_id: string;
  config_name: string;
};

export const namedOverrides = (
  store: Queryable,
  identityIds: readonly string[],
): Promise<NamedOverrideRow[]> =>
  store.query(
    sql<NamedOverrideRow>`select o.identity_id, s.id as service_id, s.name as service_name, c.id as config_id, c.name as config_name
      from service_config_override o join service s on s.id = o.service_id join config c on c.id = o.config_id
      where o.identity_id = any(${[...identityIds]}::text[]) order by o.service_id, o.config_type_id`,
  );

/** The key: an identity has one config of each type for a service. */
interface OverrideKey {
  readonly identityId: string;
  readonly serviceId: string;
  readonly configTypeId: string;
}

/** Stores an override and replaces an earlier one of the same type. */
export const putOverride = (
  tx: Queryable,
  { identityId, serviceId, configTypeId }: OverrideKey,
  configId: string,
): Promise<unknown> =>
  tx.query(
    sql`insert into service_config_override (identity_id, service_id, config_type_id, config_id)
            values (${identityId}::text, ${serviceId}::text, ${configTypeId}::text, ${configId}::text)
            on conflict (identity_id, service_id, config_type_id) do update set config_id = excluded.config_id returning config_id`,
  );

export const deleteOverride = (
  tx: Queryable,
  { identityId, serviceId, configTypeId }: OverrideKey,
): Promise<unknown> =>
  tx.query(
    sql`delete from service_config_override where identity_id = ${identityId}::text
            and service_id = ${serviceId}::text and config_type_id = ${configTypeId}::text returning config_id`,
  );

export const deleteOverridesOfIdentity = (tx: Queryable, identityId: string): Promise<unknown> =>
  tx.query(
    sql`delete from service_config_override where identity_id = ${identityId}::text returning config_id`,
  );

/** Gives the first identity with an override by the config. */
export async function identityOverridingWith(
  tx: Queryable,
  configId: string,
): Promise<string | undefined> {
  const [used] = await tx.query(
    sql<{
      identity_id: string;
    }>`select identity_id from service_config_override where config_id = ${configId}::text limit 1`,
  );
  return used?.identity_id;
}
