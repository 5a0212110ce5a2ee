import { raw, sql, type Queryable, type Sql } from '../../base/sql.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Cursor } from '../../kernel/request/store-port.js';

/** A past row with the attributes that decide access; null where its resource lacks one. */
export type StateRow = {
  resource: string;
  id: string;
  is_there: boolean;
  revision: number;
  roleAttributes: string[] | null;
  semantic: string | null;
  identityRoles: string[] | null;
  serviceRoles: string[] | null;
  edgeRouterRoles: string[] | null;
  postureCheckRoles: string[] | null;
  type: string | null;
};

/** The entities and the place whose states to read. */
interface StatesQuestion {
  readonly types: readonly string[];
  readonly place: Cursor;
  /** The present contains the log at least up to here. */
  readonly position: Cursor;
  readonly after: { readonly type: string; readonly id: string };
  readonly limit: number;
}

/**
 * Gives the next entities, by type and id, that changed since the place. Each comes with the state
 * after the last change up to the place or, without one, the state before the first change after it.
 */
export const nextPastStates = (
  store: Queryable,
  { types, place, position, after, limit }: StatesQuestion,
): Promise<StateRow[]> =>
  store.query(sql<StateRow>`
  with touched as (
    select c.entity_type, c.entity_id from change c
    where (select change_is_kept(${place}::text)) and c.id > least(${place}::text, ${position}::text)
      and c.entity_type = any(${[...types]}::text[])
      and (c.entity_type, c.entity_id) > (${after.type}::text, ${after.id}::text)
    group by c.entity_type, c.entity_id order by c.entity_type, c.entity_id limit ${limit}::int)
  select t.entity_type as resource, t.entity_id as id, s.state is not null as is_there,
    coalesce(past.revision, 0) as revision, s.state -> 'roleAttributes' as "roleAttributes",
    s.state ->> 'semantic' as semantic, s.state -> 'identityRoles' as "identityRoles",
    s.state -> 'serviceRoles' as "serviceRoles", s.state -> 'edgeRouterRoles' as "edgeRouterRoles",
    s.state -> 'postureCheckRoles' as "postureCheckRoles",
    s.state ->> 'type' as type
  from touched t
  left join lateral (select c.revision, c.after from change c
    where c.entity_type = t.entity_type and c.entity_id = t.entity_id and c.id <= ${place}::text
    order by c.revision desc limit 1) past on true
  left join lateral (select c.before from change c
    where past.revision is null
      and c.entity_type = t.entity_type and c.entity_id = t.entity_id and c.id > ${place}::text
    order by c.revision limit 1) later on true
  cross join lateral (select case when past.revision is null then later.before else past.after end) s(state)
  order by t.entity_type, t.entity_id`);

/** A name, null for an entity that no longer exists. */
type NameRow = { id: string; name: string | null };

/** Gives the present names of entities of one resource. */
export const namesNow = (
  store: Queryable,
  { table }: Resource,
  ids: readonly string[],
): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select id, name from ${raw(`"${table}"`)} where id = any(${[...ids]}::text[])`,
  );

type FirstNameRow = { id: string; name: string };

/** Gives the next present names of a resource in byte order, after a name when given. */
export const nextNames = (
  store: Queryable,
  { table }: Resource,
  after: string | undefined,
  limit: number,
): Promise<FirstNameRow[]> =>
  store.query(
    sql<FirstNameRow>`select id, name from ${raw(`"${table}"`)}
      where ${after === undefined ? raw('true') : sql`name > ${after}::text`}
      order by name limit ${limit}::int`,
  );

/**
 * Gives the names of entities at a place: the name before the first change after the place or,
 * without such a change, the present name.
 */
export const namesAt = (
  store: Queryable,
  { name, table }: Resource,
  ids: readonly string[],
  place: Cursor,
): Promise<NameRow[]> =>
  store.query(sql<NameRow>`
  select asked.id, coalesce(
      (select c.before ->> 'name' from change c
        where c.entity_type = ${name}::text and c.entity_id = asked.id and c.id > ${place}::text
          and c.before is not null
        order by c.id limit 1),
      (select e.name from ${raw(`"${table}"`)} e where e.id = asked.id)) as name
  from unnest(${[...ids]}::text[]) as asked(id)`);

type CheckTypeRow = { id: string; type_id: string };

/**
 * Gives the types of posture checks, which never change; those of deleted checks come from the log.
 * The log has no type for a deletion that the integrity check discovered.
 */
export const typesOfChecks = (store: Queryable, ids: readonly string[]): Promise<CheckTypeRow[]> =>
  store.query(
    sql<CheckTypeRow>`select id, type_id from posture_check where id = any(${[...ids]}::text[])
      union all select entity_id, before ->> 'typeId' from change
      where entity_type = 'PostureCheck' and operation = 'delete' and entity_id = any(${[...ids]}::text[])
        and before ->> 'typeId' is not null`,
  );

/**
 * Gives the place itself if the log still contains it.
 * @throws ApiError HISTORY_NOT_KEPT
 */
export const keptPlace = (store: Queryable, place: string): Promise<Cursor | undefined> =>
  onlyPlace(store, sql`select ${place}::text as id where (select change_is_kept(${place}::text))`);

/**
 * Gives the last change up to a time or, without one, the start of the log.
 * @throws ApiError HISTORY_NOT_KEPT also for a change of another epoch
 */
export const lastPlaceUpTo = (store: Queryable, at: Date): Promise<Cursor | undefined> =>
  onlyPlace(
    store,
    sql`
  with found as (
    select coalesce(
      (select max(id) from change where at <= ${at}::timestamptz and id < (select change_horizon())),
      (select nullif(max(pruned_id), '') from change_log),
      coalesce((select left(min(id), 4) from change), left(change_horizon(), 4)) || repeat('0', 32)
    ) as id)
  select id from found
  where (select change_is_kept_since(${at}::timestamptz)) and change_is_kept(id)`,
  );

type PlaceRow = { id: Cursor };

async function onlyPlace(store: Queryable, statement: Sql<PlaceRow>): Promise<Cursor | undefined> {
  const [row] = await store.query(statement);
  return row?.id;
}
