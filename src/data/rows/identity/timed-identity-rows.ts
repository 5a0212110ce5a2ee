import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { clock } from '../clock/index.js';

/*
 * Identities with times. Statements, not models, where the clock of the database decides, which models do not know.
 */

type IdentityRow = TableRow<'Identity'>;

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
export type EndingIdentity = Pick<IdentityRow, 'id'> & {
  readonly validUntil: NonNullable<IdentityRow['validUntil']>;
};

/** Those whose time is over until then, and is not yet. */
export async function endingUntil(rows: Rows, until: Date): Promise<EndingIdentity[]> {
  const identities = await rows.readModel((models) =>
    models.identity.findMany({
      where: { nextChangeAt: { not: null }, validUntil: { lte: until } },
      select: { id: true, validUntil: true },
      orderBy: { id: 'asc' },
    }),
  );
  return identities.flatMap(({ id, validUntil }) => (validUntil ? [{ id, validUntil }] : []));
}

/** The ids of disabled identities whose time is over by the clock of the database. */
export async function overdue(rows: Rows, limit: number): Promise<string[]> {
  const identities = await rows.query(
    sql<{ id: string }>`select id from identity
      where disabled_at is not null and disabled_until <= ${clock.NOW} order by id limit ${limit}::int`,
  );
  return identities.map(({ id }) => id);
}
