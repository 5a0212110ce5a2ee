import type { JsonObject } from '../../../base/row.js';
import { sql } from '../../../base/sql.js';
import type { Cursor, Operation, Rows } from '../../../kernel/request/store-port.js';

/*
 * The change log. Statements, not models: they take any number of ids as one parameter, delete what they
 * select, look into the JSON of states, and ask functions of the database how far back the log goes.
 */

/** The end of the log as these rows show it: of every commit before it, nothing is missing. */
export async function horizon(rows: Rows): Promise<Cursor> {
  const [row] = await rows.query(
    sql<{ horizon: string }>`select change_horizon() || repeat('0', 16) as horizon`,
  );
  return row?.horizon ?? '';
}

/** Gives the newest change beyond the first `most`; empty when there are fewer. */
export async function newestBeyond(rows: Rows, most: number): Promise<Cursor> {
  const [change] = await rows.query(
    sql<{ id: Cursor }>`select id from change order by id desc offset ${most}::bigint limit 1`,
  );
  return change?.id ?? '';
}

/** The limits of pruning. */
interface PruningBounds {
  /** Later changes stay, up to the kept number. */
  readonly young: Date;
  /** Later changes always stay. */
  readonly latest: Date;
  /** The newest change beyond the kept number. */
  readonly bound: Cursor;
  readonly upTo: Cursor;
}

/**
 * Deletes the oldest changes, at most `limit` and up to the first one that stays, and stores the
 * new start of the log. Gives the number of deleted changes.
 */
export async function prune(
  rows: Rows,
  { young, latest, bound, upTo }: PruningBounds,
  limit: number,
): Promise<number> {
  const [row] = await rows.query(
    sql<{ pruned: number }>`with slice as (
        select id, at, revision from change
        where id > (select max(pruned_id) from change_log) and id < (select change_horizon()) and id <= ${upTo}::text
        order by id limit ${limit}::int),
      kept as (select min(id) as id from slice 
        where (at >= ${young}::timestamptz and id > ${bound}::text) or at >= ${latest}::timestamptz),
      gone as (
        delete from change c using slice s, kept k
        where c.id = s.id and (k.id is null or c.id < k.id) returning c.id, c.at, c.revision),
      greatest_gone as (select max(id) as id, max(at) as at, max(revision) as revision from gone),
      noted as (
        insert into change_log (pruned_id, pruned_at, pruned_revision)
        select id, at, revision from greatest_gone where id is not null
        on conflict (is_single) do update set
          pruned_id = greatest(change_log.pruned_id, excluded.pruned_id),
          pruned_at = greatest(change_log.pruned_at, excluded.pruned_at),
          pruned_revision = greatest(change_log.pruned_revision, excluded.pruned_revision))
      select count(*)::int as pruned from gone`,
  );
  return row?.pruned ?? 0;
}

/** The bytes of the states in changes of the log. */
export async function sizeOf(rows: Rows, ids: readonly string[]): Promise<number> {
  const [row] = await rows.query(
    sql<{ size: number }>`select coalesce(sum(coalesce(octet_length(before::text), 0)
        + coalesce(octet_length(after::text), 0)), 0)::float8 as size
      from change where id = any(${[...ids]}::text[])`,
  );
  return row?.size ?? 0;
}

/** A change of the log; without a resource if the log has none with the id. */
export type FoundChange = {
  readonly cursor: string;
  readonly resource: string | null;
  readonly id: string;
  readonly operation: Operation;
  readonly revision: number;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/**
 * Gives changes by their ids, also those before which a late commit could come.
 * @throws ApiError HISTORY_NOT_KEPT if the log may have lost one, or for one from before a restore
 */
export const find = (rows: Rows, ids: readonly string[]): Promise<FoundChange[]> =>
  rows.query(
    sql<FoundChange>`select asked.id as cursor, c.entity_type as resource, c.entity_id as id,
        c.operation, c.revision, c.before, c.after
      from unnest(${[...ids]}::text[]) as asked(id) left join change c on c.id = asked.id
      where case
        when c.id is null and asked.id collate "C" <= (select max(pruned_id) from change_log)
          then change_is_kept('')
        when c.id is null or left(c.id, 4) <> left((select change_horizon()), 4)
          then change_is_kept(asked.id)
        else true end`,
  );

/** A deleted entity, and a member by which entities of another type named it. */
export interface NamingMember {
  /** Place of the deletion in the log. */
  readonly cursor: string;
  readonly type: string;
  readonly member: string;
  readonly name: string;
}

type CompanionRow = { readonly cursor: string; readonly type: string; readonly deletion: string };

/**
 * Gives changes, in the transactions of deletions, of entities that named the deleted ones before
 * and not after. They are ordered by their places.
 */
export const companionsOf = (
  rows: Rows,
  members: readonly NamingMember[],
  limit: number,
): Promise<CompanionRow[]> =>
  rows.query(
    sql<CompanionRow>`select distinct c.id as cursor, c.entity_type as type, d.deletion
      from unnest(${members.map(({ cursor }) => cursor)}::text[], ${members.map(({ type }) => type)}::text[],
        ${members.map(({ member }) => member)}::text[], ${members.map(({ name }) => name)}::text[])
        as d(deletion, type, member, name)
      join change c on c.entity_type = d.type
        and c.id > left(d.deletion, 20) || repeat('0', 16)
        and c.id <= left(d.deletion, 20) || repeat('f', 16)
      where c.id <> d.deletion and c.before -> d.member ? d.name
        and not coalesce(c.after -> d.member ? d.name, false)
      order by c.id limit ${limit}::int`,
  );

/** An entity in memory, with its revision. */
interface CachedRevision {
  readonly id: string;
  readonly revision: number;
}

/** Gives those of these entities that have a newer change within the last ten seconds. */
export async function recentlyChanged(
  rows: Rows,
  entityType: string,
  cachedEntities: readonly CachedRevision[],
): Promise<string[]> {
  const ids = cachedEntities.map(({ id }) => id);
  const revisions = cachedEntities.map(({ revision }) => revision);
  const changes = await rows.query(
    sql<{ id: string }>`select distinct c.entity_id as id from change c
        join unnest(${ids}::text[], ${revisions}::int[]) as h(id, revision) on c.entity_id = h.id and c.revision > h.revision
        where c.entity_type = ${entityType}::text and c.at > clock_timestamp() - interval '10 s'`,
  );
  return changes.map(({ id }) => id);
}
