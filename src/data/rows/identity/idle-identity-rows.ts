import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { clock } from '../clock/index.js';

/*
 * Identities that are deleted when they are not in use: by their own hours or by the days of the signer whose first login
 * created them. Statements, not models: the clock of the database decides when they were last used, and models do not
 * know it.
 */

type IdentityRow = TableRow<'Identity'>;

/** A use within this time is not stored again. */
export const USE_STEP_MILLIS = 600_000;

/** Stores that an identity is in use. It is no change of the identity, and not logged. */
export const storeUse = (rows: Rows, id: string): Promise<unknown> =>
  rows.query(sql`update identity set last_used_at = ${clock.NOW} where id = ${id}::text`);

/**
 * Stores the same for identities with an API session, a batch at a time, and gives their number. It skips those that
 * another transaction writes.
 */
export async function storeUsesBySessions(rows: Rows, limit: number): Promise<number> {
  const used = await rows.query(
    sql<{ id: string }>`update identity set last_used_at = ${clock.NOW} where id in (
        select i.id from identity i
        where (i.created_by_signer_id is not null or i.created_by_authority_id is not null
            or i.idle_hours_before_deletion is not null)
          and i.last_used_at <= ${clock.NOW} - make_interval(secs => ${USE_STEP_MILLIS / 1000}::int)
          and exists (select 1 from api_session s where s.identity_id = i.id)
        order by i.id limit ${limit}::int for no key update skip locked)
      returning id`,
  );
  return used.length;
}

/** A session may have gone on for this long after its last stored use. */
const STEP_MINUTES = USE_STEP_MILLIS / 60_000;

const MAY_END_IDLE =
  raw(`identity i left join external_jwt_signer s on s.id = i.created_by_signer_id
  where (i.idle_hours_before_deletion is not null or s.idle_days_before_deletion is not null)`);

/**
 * The condition that such an identity `i` is idle for too long. Its own hours count before the days of its signer. One
 * that is disabled stays: otherwise its next login or enrollment could create another one, which is not disabled.
 */
const IS_IDLE = raw(`i.last_used_at <= (select clock_timestamp()) - coalesce(
    make_interval(hours => i.idle_hours_before_deletion, mins => ${String(STEP_MINUTES)}),
    make_interval(days => s.idle_days_before_deletion))
  and i.disabled_at is null and not i.is_outside_times
  and not exists (select 1 from api_session a where a.identity_id = i.id)`);

/** An identity that is idle for too long. */
export type IdleIdentity = Pick<IdentityRow, 'id'> & {
  /** Its own hours; null when its signer decides. */
  readonly idleHours: IdentityRow['idleHoursBeforeDeletion'];
};

/** Those that are idle for too long, in the order of their ids. */
export const idle = (
  rows: Rows,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<IdleIdentity[]> =>
  rows.query(
    sql<IdleIdentity>`select i.id, i.idle_hours_before_deletion as "idleHours" from ${MAY_END_IDLE}
      and i.id > ${after}::text and ${IS_IDLE} order by i.id limit ${limit}::int`,
  );

/** Whether an identity, which no other transaction changes meanwhile, is idle for too long. */
export async function isIdle(tx: Rows, id: string): Promise<boolean> {
  const idle = await tx.query(
    sql<{ id: string }>`select i.id from ${MAY_END_IDLE} and i.id = ${id}::text and ${IS_IDLE}`,
  );
  return idle.length > 0;
}
