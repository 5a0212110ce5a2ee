import { raw, sql, type Sql } from '../../../base/sql.js';
import type { JsonObject } from '../../../base/row.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import type { Cursor, LoggedChange, Rows } from '../../../kernel/request/store-port.js';
import { postureChecks, type CheckType } from '../posture/index.js';

/*
 * The past of the network as the change log tells it. Statements, not models: they compare places of the
 * log, look into the JSON of states, and call functions of the database.
 */

/** A past row with the attributes that decide access; null where its resource lacks one. */
export type StateRow = {
  resource: string;
  id: string;
  isThere: boolean;
  revision: number;
  roleAttributes: string[] | null;
  assignedRoleAttributes: string[] | null;
  /** Absent in the states of earlier releases: then the identity is not pending. */
  isPending: boolean | null;
  semantic: string | null;
  identityRoles: string[] | null;
  serviceRoles: string[] | null;
  edgeRouterRoles: string[] | null;
  postureCheckRoles: string[] | null;
  type: string | null;
  /** Absent in the states of earlier releases: then the policy is in force. */
  isInForce: boolean | null;
  nextChangeAt: string | null;
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
export const nextStates = (
  rows: Rows,
  { types, place, position, after, limit }: StatesQuestion,
): Promise<StateRow[]> =>
  rows.query(sql<StateRow>`
  with touched as (
    select c.entity_type, c.entity_id from change c
    where (select change_is_kept(${place}::text)) and c.id > least(${place}::text, ${position}::text)
      and c.entity_type = any(${[...types]}::text[])
      and (c.entity_type, c.entity_id) > (${after.type}::text, ${after.id}::text)
    group by c.entity_type, c.entity_id order by c.entity_type, c.entity_id limit ${limit}::int)
  select t.entity_type as resource, t.entity_id as id, s.state is not null as "isThere",
    coalesce(past.revision, 0) as revision, s.state -> 'roleAttributes' as "roleAttributes",
    s.state -> 'assignedRoleAttributes' as "assignedRoleAttributes", s.state -> 'isPending' as "isPending",
    s.state ->> 'semantic' as semantic, s.state -> 'identityRoles' as "identityRoles",
    s.state -> 'serviceRoles' as "serviceRoles", s.state -> 'edgeRouterRoles' as "edgeRouterRoles",
    s.state -> 'postureCheckRoles' as "postureCheckRoles",
    s.state ->> 'type' as type, s.state -> 'isInForce' as "isInForce", s.state ->> 'nextChangeAt' as "nextChangeAt"
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

/** The state of an entity before its first change behind a place; null if it did not exist. */
type EarlierStateRow = { resource: string; id: string; before: JsonObject | null };

/**
 * Gives the states at a place of the entities that changed behind it, as far as the reader sees these changes:
 * in a snapshot some may be of transactions that began after others which are not committed.
 */
export const statesBefore = (
  rows: Rows,
  types: readonly string[],
  place: Cursor,
): Promise<EarlierStateRow[]> =>
  rows.query(sql<EarlierStateRow>`
  select distinct on (c.entity_type, c.entity_id) c.entity_type as resource, c.entity_id as id, c.before
  from change c where c.id > ${place}::text and c.entity_type = any(${[...types]}::text[])
  order by c.entity_type, c.entity_id, c.id`);

/** The configs for services of an identity before a change of them. */
type EarlierConfigsRow = { identityId: string; serviceConfigs: readonly JsonObject[] };

/** Gives the configs for services at a place of the identities whose configs changed behind it. */
export const serviceConfigsBefore = (rows: Rows, place: Cursor): Promise<EarlierConfigsRow[]> =>
  rows.query(sql<EarlierConfigsRow>`
  select distinct on (c.entity_id) c.entity_id as "identityId", c.before -> 'serviceConfigs' as "serviceConfigs"
  from change c where c.id > ${place}::text and c.entity_type = 'Identity' and c.before ? 'serviceConfigs'
  order by c.entity_id, c.id`);

/**
 * Gives the earliest place up to which the changes behind it can be undone exactly, with at most `most` changes
 * behind it. A deleted service takes the configs of identities for it along, as does an identity that is replaced,
 * and a change that was made outside of the log does not have the state before.
 */
export async function undoablePlace(
  rows: Rows,
  types: readonly string[],
  most: number,
): Promise<Cursor> {
  const [row] = await rows.query(
    sql<{ id: Cursor }>`
  with beyond as (
    select coalesce((select id from change order by id desc offset ${most}::bigint limit 1), '') as id)
  select greatest(
    (select id from beyond),
    (select max(c.id) from change c where c.id > (select id from beyond) and c.entity_type = any(${[...types]}::text[])
      and ((c.entity_type = 'Service' and c.operation = 'delete')
        or (c.before is null and c.operation <> 'create')
        or (c.entity_type = 'Identity' and c.operation = 'delete' and exists (
          select from change later where later.entity_type = 'Identity' and later.entity_id = c.entity_id
            and later.id > c.id and left(later.id, 20) = left(c.id, 20))))),
    (select max(pruned_id) from change_log),
    left(change_horizon(), 4) || repeat('0', 32)) as id`,
  );
  return row?.id ?? '';
}

type StateChangeRow = Pick<LoggedChange, 'cursor' | 'resource' | 'id'> & {
  after: JsonObject | null;
};

/** Gives the changes of entities of these types behind a place, up to the end of the log. */
export const statesAfter = (
  rows: Rows,
  types: readonly string[],
  place: Cursor,
): Promise<StateChangeRow[]> =>
  rows.query(sql<StateChangeRow>`
  select c.id as cursor, c.entity_type as resource, c.entity_id as id, c.after from change c
  where c.id > ${place}::text and c.id < (select change_horizon()) and c.entity_type = any(${[...types]}::text[])
  order by c.id`);

/** Whether no entity of these types changed behind a place up to another one, where every transaction has ended. */
export async function isUnchanged(
  rows: Rows,
  types: readonly string[],
  { after, upTo }: { readonly after: Cursor; readonly upTo: Cursor },
): Promise<boolean> {
  const [row] = await rows.query(
    sql<{
      isUnchanged: boolean;
    }>`select ${upTo}::text collate "C" < (select change_horizon()) and not exists (
      select from change c where (select change_is_kept(${after}::text))
        and c.id > ${after}::text and c.id <= ${upTo}::text and c.entity_type = any(${[...types]}::text[])
    ) as "isUnchanged"`,
  );
  return row?.isUnchanged === true;
}

/** A name, null for an entity that no longer exists. */
type NameRow = { id: string; name: string | null };

/**
 * Gives the names of entities at a place: the name before the first change after the place or,
 * without such a change, the present name.
 */
export const namesAt = (
  rows: Rows,
  { name, table }: Resource,
  ids: readonly string[],
  place: Cursor,
): Promise<NameRow[]> =>
  rows.query(sql<NameRow>`
  select asked.id, coalesce(
      (select c.before ->> 'name' from change c
        where c.entity_type = ${name}::text and c.entity_id = asked.id and c.id > ${place}::text
          and c.before is not null
        order by c.id limit 1),
      (select e.name from ${raw(`"${table}"`)} e where e.id = asked.id)) as name
  from unnest(${[...ids]}::text[]) as asked(id)`);

/**
 * Gives the types of posture checks, which never change; those of deleted checks come from the log. The
 * log has no type for a deletion that the integrity check discovered.
 */
export async function typesOfChecks(
  rows: Rows,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const checks = await rows.query(
    sql<CheckType>`${postureChecks.typesSql(ids)}
      union all select entity_id, before ->> 'typeId' from change
      where entity_type = 'PostureCheck' and operation = 'delete' and entity_id = any(${[...ids]}::text[])
        and before ->> 'typeId' is not null`,
  );
  return new Map(checks.map(({ id, typeId }) => [id, typeId]));
}

/**
 * Gives the place itself if the log still contains it.
 * @throws ApiError HISTORY_NOT_KEPT
 */
export const keptPlace = (rows: Rows, place: string): Promise<Cursor | undefined> =>
  onlyPlace(rows, sql`select ${place}::text as id where (select change_is_kept(${place}::text))`);

/**
 * Gives the last change up to a time or, without one, the start of the log.
 * @throws ApiError HISTORY_NOT_KEPT also for a change of another epoch
 */
export const lastPlaceUpTo = (rows: Rows, at: Date): Promise<Cursor | undefined> =>
  onlyPlace(
    rows,
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

async function onlyPlace(rows: Rows, statement: Sql<PlaceRow>): Promise<Cursor | undefined> {
  const [place] = await rows.query(statement);
  return place?.id;
}
