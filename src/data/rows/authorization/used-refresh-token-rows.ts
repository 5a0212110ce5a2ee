import { raw, sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * Refresh tokens that newer ones have replaced. Times of use have the clock of the database: a client may
 * use a token again at another controller, whose clock may differ.
 */

type UsedToken = Pick<TableRow<'UsedRefreshToken'>, 'jti' | 'apiSessionId' | 'expiresAt'>;

const MILLIS_SINCE = raw('(extract(epoch from clock_timestamp() - used_at) * 1000)::float8');

/**
 * Marks a token as used, and gives the milliseconds since its first use. A statement, since of two uses
 * at once both must learn the earlier time.
 */
export async function use(tx: Rows, { jti, apiSessionId, expiresAt }: UsedToken): Promise<number> {
  const [first] = await tx.query(
    sql<{
      millis: number;
    }>`insert into used_refresh_token (jti, api_session_id, used_at, expires_at)
      values (${jti}::text, ${apiSessionId}::text, clock_timestamp(), ${expiresAt}::timestamptz)
      on conflict (jti) do update set jti = excluded.jti returning ${MILLIS_SINCE} as millis`,
  );
  return first?.millis ?? 0;
}

/** The milliseconds since a token was first replaced; undefined if it was not. */
export async function millisSinceUse(rows: Rows, jti: string): Promise<number | undefined> {
  const [used] = await rows.query(
    sql<{
      millis: number;
    }>`select ${MILLIS_SINCE} as millis from used_refresh_token where jti = ${jti}::text`,
  );
  return used?.millis;
}

/** Deletes tokens that have expired. */
export const removeEnded = (rows: Rows, now: Date): Promise<unknown> =>
  rows.writeModel((models) =>
    models.usedRefreshToken.deleteMany({ where: { expiresAt: { lte: now } } }),
  );
