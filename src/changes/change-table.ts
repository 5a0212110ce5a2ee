import { sql, type Queryable } from '../base/sql.js';
import type { Cursor } from '../kernel/request/store-port.js';

/** Gives the newest change beyond the first `most`; empty when there are fewer. */
export async function newestBeyond(store: Queryable, most: number): Promise<Cursor> {
  const [row] = await store.query(
    sql<{ id: Cursor }>`select id from change order by id desc offset ${most}::bigint limit 1`,
  );
  return row?.id ?? '';
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
export async function deleteOldestChanges(
  store: Queryable,
  { young, latest, bound, upTo }: PruningBounds,
  limit: number,
): Promise<number> {
  const [row] = await store.query(
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
