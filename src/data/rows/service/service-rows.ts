import { raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { Selected, TableRow } from '../../prisma/models.js';
import { typedConfigs } from '../config/index.js';
import { isDisabledSql } from '../identity/index.js';

const WITH_CONFIGS = { id: true, configs: true } as const;

/** Gives the services that name configs themselves. */
export const withConfigs = (rows: Rows): Promise<Selected<'Service', typeof WITH_CONFIGS>[]> =>
  rows.readModel((models) =>
    models.service.findMany({ where: { configs: { isEmpty: false } }, select: WITH_CONFIGS }),
  );

/*
 * Statements, not models: any number of ids is one parameter, and some read several tables for
 * each request.
 */

export type EntityName = Pick<TableRow<'Service'>, 'id' | 'name'>;

/** The statement that gives the names of services. */
export const namesSql = (ids: readonly string[]): Sql<EntityName> =>
  sql<EntityName>`select id, name from service where id = any(${[...ids]}::text[])`;

/** The names of services, in the order of their ids. */
export const names = (rows: Rows, ids: readonly string[]): Promise<EntityName[]> =>
  rows.query(sql<EntityName>`${namesSql(ids)} order by id`);

/** A part of a list in the order of names, then of ids. */
interface NamesWindow {
  /** The entry before the first one. */
  readonly after: EntityName | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Gives a part of these services in the order of their names. */
export const namesInOrder = (
  rows: Rows,
  ids: readonly string[],
  { after, offset, limit }: NamesWindow,
): Promise<EntityName[]> =>
  rows.query(
    sql<EntityName>`${namesSql(ids)} and ${after ? sql`(name, id) > (${after.name}::text, ${after.id}::text)` : raw('true')}
      order by name, id offset ${offset}::int limit ${limit}::int`,
  );

/** The milliseconds without traffic after which circuits of any number of services end, where there is a limit. */
export async function idleLimits(rows: Rows, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const limited = await rows.query(
    sql<{ id: string; millis: number }>`select id, max_idle_time_millis as millis from service
      where id = any(${ids}::text[]) and max_idle_time_millis > 0`,
  );
  return new Map(limited.map(({ id, millis }) => [id, millis]));
}

/** A config of a service for an identity. */
type SeenConfig = {
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
  rows: Rows,
  services: readonly string[],
  { identityId, types }: ConfigQuestion,
): Promise<SeenConfig[]> {
  const wanted: Sql = types.includes('all')
    ? raw('true')
    : sql`(c.config_type_id = any(${types}::text[]) or c.type_name = any(${types}::text[]))`;
  return rows.query(
    sql<SeenConfig>`select s.id as service, c.type_name as type, c.data from (
      select s.id, unnest(s.configs) as config_id, 0 as rank from service s where s.id = any(${services}::text[])
      union all
      select o.service_id, o.config_id, 1 from service_config_override o
       where o.identity_id = ${identityId}::text and o.service_id = any(${services}::text[])
    ) s join ${typedConfigs} c on c.id = s.config_id
    where ${wanted} order by s.id, s.rank`,
  );
}

/** The conditions of access beside policies. */
type AccessFacts = {
  /** Whether the service has a terminator. */
  readonly isHosted: boolean;
  /** Whether the identity is disabled. */
  readonly isDisabled: boolean;
  readonly disabledRouters: string[];
};

export async function accessFacts(
  rows: Rows,
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
  now: Date,
): Promise<AccessFacts | undefined> {
  const [facts] = await rows.query(
    sql<AccessFacts>`select exists (select from terminator where service_id = ${serviceId}::text) as "isHosted",
      exists (select from identity i where id = ${identityId}::text and ${isDisabledSql('i', now)}) as "isDisabled",
      array(select id from router where is_edge and disabled) as "disabledRouters"`,
  );
  return facts;
}
