import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * When identities last used their access to services. Statements, not models: they write and read any
 * number of rows at once, on conditions, and one copies what circuits and terminators use.
 */

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    readonly AccessUse: { readonly type: TableRow<'ServicePolicy'>['type'] };
  }
}

/** The access of an identity to a service, in one direction. */
export type AccessKey = Pick<TableRow<'AccessUse'>, 'identityId' | 'serviceId' | 'type'>;

/** Access with the time of its last use. */
export type AccessUse = TableRow<'AccessUse'>;

/** A stored time only grows: controllers store in any order. */
const IF_LATER: Sql = sql`on conflict (identity_id, service_id, type)
  do update set used_at = excluded.used_at where access_use.used_at < excluded.used_at`;

/** Rows of deleted entities are left out. The order is the same for all writers. */
const OF_ENTITIES: Sql = sql`where exists (select from identity i where i.id = u.identity_id)
    and exists (select from service s where s.id = u.service_id)
  order by u.identity_id, u.service_id, u.type`;

/** Stores uses, as far as their identities and services exist. */
export async function store(rows: Rows, uses: readonly AccessUse[]): Promise<void> {
  await rows.query(
    sql`insert into access_use (identity_id, service_id, type, used_at)
      select u.identity_id, u.service_id, u.type, u.used_at
      from unnest(${uses.map(({ identityId }) => identityId)}::text[], ${uses.map(({ serviceId }) => serviceId)}::text[],
        ${uses.map(({ type }) => type)}::text[], ${uses.map(({ usedAt }) => usedAt)}::timestamptz[])
        u (identity_id, service_id, type, used_at) ${OF_ENTITIES} ${IF_LATER}`,
  );
}

/** Access in use at this moment: by circuits, and by terminators at connected routers. */
const inUse = (now: Date): Sql =>
  sql`select c.identity_id, c.service_id, 'Dial' as type from circuit c
    union select t.host_id, t.service_id, 'Bind' from terminator t
      join router_presence p on p.router_id = t.router_id and p.lapses_at > ${now}::timestamptz`;

/** Stores the present time for all access in use: a circuit or a terminator may exist for weeks. */
export async function storePresent(rows: Rows, now: Date): Promise<void> {
  await rows.query(
    sql`insert into access_use (identity_id, service_id, type, used_at)
      select u.identity_id, u.service_id, u.type, ${now}::timestamptz from (${inUse(now)}) u ${OF_ENTITIES} ${IF_LATER}`,
  );
}

/** The services that an identity has used: their ids, separated by spaces; null: none. */
export type UsedServices = {
  readonly identityId: string;
  readonly dialed: string | null;
  readonly hosted: string | null;
};

/** Texts of ids need a fraction of the time and memory of a row for each pair. */
const USED_SERVICES: Sql = sql`identity_id as "identityId",
  string_agg(service_id, ' ') filter (where type = 'Dial') as dialed,
  string_agg(service_id, ' ') filter (where type = 'Bind') as hosted`;

/** Gives the uses since a time of the next identities by id. */
export const nextSince = (
  rows: Rows,
  since: Date,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<UsedServices[]> =>
  rows.query(
    sql<UsedServices>`select ${USED_SERVICES} from access_use
      where used_at >= ${since}::timestamptz and identity_id > ${after}::text
      group by identity_id order by identity_id limit ${limit}::int`,
  );

/** Gives the access in use at this moment. */
export const present = (rows: Rows, now: Date): Promise<UsedServices[]> =>
  rows.query(
    sql<UsedServices>`select ${USED_SERVICES} from (${inUse(now)}) u group by identity_id`,
  );

/** Gives the last uses of these pairs; pairs that were never used are left out. */
export const lastUsesOf = (rows: Rows, pairs: readonly AccessKey[]): Promise<AccessUse[]> =>
  rows.query(
    sql<AccessUse>`select u.identity_id as "identityId", u.service_id as "serviceId", u.type, u.used_at as "usedAt"
      from unnest(${pairs.map(({ identityId }) => identityId)}::text[], ${pairs.map(({ serviceId }) => serviceId)}::text[],
        ${pairs.map(({ type }) => type)}::text[]) p (identity_id, service_id, type)
      join access_use u on u.identity_id = p.identity_id and u.service_id = p.service_id and u.type = p.type`,
  );
