import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/* Refresh tokens that newer ones have replaced. */

/**
 * Marks a token as used, and gives the time of its first use. A statement, since of two uses at once
 * both must learn the earlier time.
 */
export async function use(
  tx: Rows,
  { jti, apiSessionId, usedAt, expiresAt }: TableRow<'UsedRefreshToken'>,
): Promise<Date> {
  const [first] = await tx.query(
    sql<{ usedAt: Date }>`insert into used_refresh_token (jti, api_session_id, used_at, expires_at)
      values (${jti}::text, ${apiSessionId}::text, ${usedAt}::timestamptz, ${expiresAt}::timestamptz)
      on conflict (jti) do update set jti = excluded.jti returning used_at as "usedAt"`,
  );
  return first?.usedAt ?? usedAt;
}

/** When a token was first replaced; undefined if it was not. */
export async function usedAt(rows: Rows, jti: string): Promise<Date | undefined> {
  const used = await rows.readModel((models) =>
    models.usedRefreshToken.findUnique({ where: { jti }, select: { usedAt: true } }),
  );
  return used?.usedAt;
}

/** Deletes tokens that have expired. */
export const removeEnded = (rows: Rows, now: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.usedRefreshToken.deleteMany({ where: { expiresAt: { lte: now } } }),
  );
