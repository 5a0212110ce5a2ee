import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/*
 * The time since when all uses of access are recorded. A restore begins a new epoch: the uses since
 * its snapshot are lost, so the recording begins anew.
 */

/**
 * Begins the recording of an epoch, unless another controller has begun it: a condition that an upsert
 * of a model can not have.
 */
export async function begin(rows: Rows, epoch: number, now: Date): Promise<void> {
  await rows.query(
    sql`insert into access_use_recording as r (epoch, recorded_since) values (${epoch}::int, ${now}::timestamptz)
      on conflict (is_single) do update set epoch = excluded.epoch,
        recorded_since = greatest(r.recorded_since, excluded.recorded_since)
      where r.epoch < excluded.epoch`,
  );
}

/** Begins the recording anew, because uses were lost up to a time. */
export const restart = (rows: Rows, since: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.accessUseRecording.updateMany({
      where: { recordedSince: { lt: since } },
      data: { recordedSince: since },
    }),
  );

/** Gives the time since when all uses of access are recorded. */
export async function since(rows: Rows): Promise<Date> {
  const recording = await rows.readModel((models) =>
    models.accessUseRecording.findUnique({
      where: { isSingle: true },
      select: { recordedSince: true },
    }),
  );
  if (!recording) throw new Error('the recording of uses has not begun');
  return recording.recordedSince;
}
