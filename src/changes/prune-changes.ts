import { sql } from '../base/sql.js';
import type { Cursor, Store } from '../kernel/request/store-port.js';

export interface Retention {
  /** What is older goes. */
  readonly keepMs: number;
  /** The oldest beyond so many go; 0 is no bound. */
  readonly most: number;
}

interface Pruning extends Retention {
  readonly now: Date;
  /** What comes later stays: this controller has not read it yet. */
  readonly upTo: Cursor;
}

/** Small enough that no statement holds anybody up. */
const SLICE = 1_000;

/** Others read the log a moment later than this controller: whatever the bounds, so much stays. */
const LATEST_MILLIS = 60_000;

/**
 * Deletes the oldest changes, from the start of the log on, and remembers in the same statement how
 * far. Gives their number. Several controllers at once do no harm.
 */
export async function pruneChanges(store: Store, pruning: Pruning): Promise<number> {
  const { keepMs, most, now, upTo } = pruning;
  const bound = await lastBeyond(store, most);
  const before = (millis: number): Date => new Date(now.getTime() - millis);
  const slice = { young: before(keepMs), latest: before(LATEST_MILLIS), bound, upTo };
  let total = 0;
  for (let pruned = SLICE; pruned === SLICE;) {
    pruned = await pruneSlice(store, slice);
    total += pruned;
  }
  return total;
}

/** The newest change that is too many. */
async function lastBeyond(store: Store, most: number): Promise<Cursor> {
  if (most === 0) return '';
  const [row] = await store.query(
    sql<{ id: Cursor }>`select id from change order by id desc offset ${most}::bigint limit 1`,
  );
  return row?.id ?? '';
}

interface Bounds {
  /** What is younger stays, up to the number that is kept. */
  readonly young: Date;
  /** What is younger stays in any case. */
  readonly latest: Date;
  /** The newest that is too many. */
  readonly bound: Cursor;
  readonly upTo: Cursor;
}

async function pruneSlice(store: Store, { young, latest, bound, upTo }: Bounds): Promise<number> {
  const [row] = await store.query(
    sql<{ pruned: number }>`with slice as (
        select id, at, revision from change
        where id > (select max(pruned_id) from change_log) and id < (select change_horizon()) and id <= ${upTo}::text
        order by id limit ${SLICE}::int),
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
