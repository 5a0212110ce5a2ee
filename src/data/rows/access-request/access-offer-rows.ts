import { column, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import { anyRoleOf } from '../../../kernel/policy/index.js';

/*
 * Offers of access. Statements, not models: membership by roles, any number of ids as one parameter, and the beginning
 * of a text, for which models have LIKE, where an underscore stands for any character.
 */

/** Whether an identity may ask for the offer of a row. */
export const isOfferedTo = (alias: string, identityId: string): Sql =>
  isListed(alias, 'requester_roles', identityId);

/** Gives those of the offers for which an identity may ask. */
export async function offeredTo(
  rows: Rows,
  ids: readonly string[],
  identityId: string,
): Promise<ReadonlySet<string>> {
  const offered = await rows.query(
    sql<{ id: string }>`select o.id from access_offer o
      where o.id = any(${[...ids]}::text[]) and ${isOfferedTo('o', identityId)}`,
  );
  return new Set(offered.map(({ id }) => id));
}

/**
 * Whether an identity is in a role list of the offer of a row; one matching entry is enough. One that waits for its
 * approval is in none.
 */
export const isListed = (
  alias: string,
  list: 'requester_roles' | 'approver_roles',
  identityId: string,
): Sql =>
  sql`exists (select from identity i where i.id = ${identityId}::text
    and not i.is_pending and ${anyRoleOf(column(alias, list), { kind: 'identity', alias: 'i' })})`;

/** Counts the offers of role attributes that begin so. */
export async function countByAttributePrefix(rows: Rows, prefix: string): Promise<number> {
  const [row] = await rows.query(
    sql<{ count: number }>`select count(*)::int as count from access_offer
      where starts_with(role_attribute, ${prefix}::text)`,
  );
  return row?.count ?? 0;
}
