import { raw, sql, type Queryable, type Sql } from '../base/sql.js';

/** Reads the configs that services name themselves. */
type ServiceConfigsRow = { readonly id: string; readonly configs: string[] };

export const servicesWithConfigs = (store: Queryable): Promise<ServiceConfigsRow[]> =>
  store.query(
    sql<ServiceConfigsRow>`select id, configs from service where cardinality(configs) > 0`,
  );

type NameRow = { readonly id: string; readonly name: string };

/** The names of services, in the order of their ids. */
export const namesOfServices = (store: Queryable, ids: readonly string[]): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select id, name from service where id = any(${[...ids]}::text[]) order by id`,
  );

/** A config of a service for an identity. */
type SeenConfigRow = {
  readonly service: string;
  /** The name of the config type. */
  readonly type: string;
  readonly data: object;
};

/** An identity and the config types to read, by ids or names; `all` means all types. */
interface ConfigQuestion {
  readonly identityId: string;
  readonly types: readonly string[];
}

/** Reads the configs of services for an identity. Overrides come last in each service, so they win. */
export function configsSeenBy(
  store: Queryable,
  services: readonly string[],
  { identityId, types }: ConfigQuestion,
): Promise<SeenConfigRow[]> {
  const wanted: Sql = types.includes('all')
    ? raw('true')
    : sql`(t.id = any(${types}::text[]) or t.name = any(${types}::text[]))`;
  return store.query(
    sql<SeenConfigRow>`select s.id as service, t.name as type, c.data from (
      select s.id, unnest(s.configs) as config_id, 0 as rank from service s where s.id = any(${services}::text[])
      union all
      select o.service_id, o.config_id, 1 from service_config_override o
       where o.identity_id = ${identityId}::text and o.service_id = any(${services}::text[])
    ) s join config c on c.id = s.config_id join config_type t on t.id = c.config_type_id
    where ${wanted} order by s.id, s.rank`,
  );
}
