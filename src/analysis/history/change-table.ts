import { raw, sql, type Queryable, type Sql } from '../../base/sql.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { Cursor } from '../../kernel/request/store-port.js';

/** A row as it was, by the attributes that access depends on; null where it has no such attribute. */
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

/** Which states are asked for, of entities of these types. */
interface StatesQuestion {
  readonly types: readonly string[];
  readonly place: Cursor;
  /** Up to where the present is known to contain the log. */
  readonly position: Cursor;
  readonly after: { readonly type: string; readonly id: string };
  readonly limit: number;
}

/**
 * The next entities, by type and id, that changed since the place: the state that the last change up
 * to the place left, or that the first one after it found.
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

/** Null of what is gone. */
type NameRow = { id: string; name: string | null };

/** The names of entities of one resource now. */
export const namesNow = (
  store: Queryable,
  { table }: Resource,
  ids: readonly string[],
): Promise<NameRow[]> =>
  store.query(
    sql<NameRow>`select id, name from ${raw(`"${table}"`)} where id = any(${[...ids]}::text[])`,
  );

/**
 * The names that entities had at a place: what the first change after it found; where there is none,
 * the name is still the same.
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
 * The types of posture checks, which never change; of one that is gone the log knows it. A deletion
 * that was only noticed, by the integrity check, is logged without it.
 */
export const typesOfChecks = (store: Queryable, ids: readonly string[]): Promise<CheckTypeRow[]> =>
  store.query(
    sql<CheckTypeRow>`select id, type_id from posture_check where id = any(${[...ids]}::text[])
      union all select entity_id, before ->> 'typeId' from change
      where entity_type = 'PostureCheck' and operation = 'delete' and entity_id = any(${[...ids]}::text[])
        and before ->> 'typeId' is not null`,
  );

/**
 * The place itself, as long as the log goes back so far.
 * @throws ApiError HISTORY_NOT_KEPT
 */
export const keptPlace = (store: Queryable, place: string): Promise<Cursor | undefined> =>
  onlyPlace(store, sql`select ${place}::text as id where (select change_is_kept(${place}::text))`);

/**
 * The last change that is not later. Where nothing is so old, the start of what is kept; that of
 * another epoch is refused.
 * @throws ApiError HISTORY_NOT_KEPT
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
