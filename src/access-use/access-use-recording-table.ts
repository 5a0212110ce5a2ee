import { sql, type Queryable } from '../base/sql.js';

/*
 * The time since when all uses of access are recorded. A restore begins a new epoch: the uses since
 * its snapshot are lost, so the recording begins anew.
 */

/** Begins the recording of an epoch, unless another controller has begun it. */
export async function beginRecording(store: Queryable, epoch: number, now: Date): Promise<void> {
  await store.query(
    sql`insert into access_use_recording as r (epoch, recorded_since) values (${epoch}::int, ${now}::timestamptz)
      on conflict (is_single) do update set epoch = excluded.epoch,
        recorded_since = greatest(r.recorded_since, excluded.recorded_since)
      where r.epoch < excluded.epoch`,
  );
}

/** Begins the recording anew, because uses were lost up to a time. */
export async function recordSince(store: Queryable, since: Date): Promise<void> {
  await store.query(
    sql`update access_use_recording set recorded_since = ${since}::timestamptz
      where recorded_since < ${since}::timestamptz`,
  );
}

/** Gives the time since when all uses of access are recorded. */
export async function recordedSince(store: Queryable): Promise<Date> {
  const [row] = await store.query(
    sql<{ since: Date }>`select recorded_since as since from access_use_recording`,
  );
  if (!row) throw new Error('the recording of uses has not begun');
  return row.since;
}
