import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { clock } from '../clock/index.js';

/* Identities with times. Statements, not models: the clock of the database decides, and models do not know it. */

/** The ids of those that are due, which have waited longest first. */
export async function due(rows: Rows, limit: number): Promise<string[]> {
  const identities = await rows.query(
    sql<{ id: string }>`select id from identity where next_change_at <= ${clock.NOW}
      order by next_change_at, id limit ${limit}::int`,
  );
  return identities.map(({ id }) => id);
}

/** Milliseconds until the next one begins or ends; null without one. */
export async function millisUntilDue(rows: Rows): Promise<number | null> {
  const [row] = await rows.query(
    sql<{
      millis: number | null;
    }>`select extract(epoch from min(next_change_at) - ${clock.NOW})::float8 * 1000 as millis
      from identity where next_change_at is not null`,
  );
  return row?.millis ?? null;
}

/** When an identity ends by its times; null: never. */
export async function endOf(rows: Rows, id: string): Promise<Date | null> {
  const identity = await rows.readModel((models) =>
    models.identity.findUnique({ where: { id }, select: { validUntil: true } }),
  );
  return identity?.validUntil ?? null;
}

/** An identity whose time is over at a time to come. */
export type EndingIdentity = { readonly id: string; readonly validUntil: Date };

/** Those whose time is over until then, and is not yet. */
export const endingUntil = (rows: Rows, until: Date): Promise<EndingIdentity[]> =>
  rows.query(
    sql<EndingIdentity>`select id, valid_until as "validUntil" from identity
      where next_change_at is not null and valid_until <= ${until}::timestamptz order by id`,
  );
