import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { clock } from '../clock/index.js';

/*
 * Identities that first logins by external JWTs created. Statements, not models: the clock of the database decides
 * when they were last used, and models do not know it.
 */

/** A use within this time is not stored again. */
export const USE_STEP_MILLIS = 3_600_000;

export const count = (rows: Rows, signerId: string): Promise<number> =>
  rows.readModel((models) => models.identity.count({ where: { createdBySignerId: signerId } }));

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
        select i.id from identity i where i.created_by_signer_id is not null
          and i.last_used_at <= ${clock.NOW} - make_interval(secs => ${USE_STEP_MILLIS / 1000}::int)
          and exists (select 1 from api_session s where s.identity_id = i.id)
        order by i.id limit ${limit}::int for no key update skip locked)
      returning id`,
  );
  return used.length;
}

/**
 * The condition that an identity `i` of the signer `s` is idle for too long. One that is disabled stays: otherwise its
 * next login would create another one, which is not disabled.
 */
const IS_IDLE =
  raw(`i.last_used_at <= (select clock_timestamp()) - make_interval(days => s.idle_days_before_deletion)
  and i.disabled_at is null and not exists (select 1 from api_session a where a.identity_id = i.id)`);

/** The ids of those that are idle for too long, in their order. A signer without a number of days deletes none. */
export const idle = (
  rows: Rows,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ id: string }[]> =>
  rows.query(
    sql<{
      id: string;
    }>`select i.id from identity i join external_jwt_signer s on s.id = i.created_by_signer_id
      where i.id > ${after}::text and ${IS_IDLE} order by i.id limit ${limit}::int`,
  );

/** Whether an identity, which no other transaction changes meanwhile, is idle for too long. */
export async function isIdle(tx: Rows, id: string): Promise<boolean> {
  const idle = await tx.query(
    sql<{
      id: string;
    }>`select i.id from identity i join external_jwt_signer s on s.id = i.created_by_signer_id
      where i.id = ${id}::text and ${IS_IDLE}`,
  );
  return idle.length > 0;
}
