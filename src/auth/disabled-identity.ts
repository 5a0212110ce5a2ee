import type { RowOf } from '../kernel/declare/rows.js';
import { column, sql, type Sql } from '../base/sql.js';

/** Since when an identity is disabled and until when, as its row says. */
export type DisabledState = Pick<RowOf<'Identity'>, 'disabledAt' | 'disabledUntil'>;

/** An identity is disabled until it is enabled again, or until a time that was set. */
export const isDisabled = (
  { disabledAt = null, disabledUntil = null }: Partial<DisabledState>,
  now: Date,
): boolean => disabledAt !== null && (disabledUntil === null || disabledUntil > now);

/** The same rule in SQL, of a row of the table `identity`. */
export function isDisabledSql(alias: string, now: Date): Sql {
  const until = column(alias, 'disabled_until');
  return sql`(${column(alias, 'disabled_at')} is not null and (${until} is null or ${until} > ${now}::timestamptz))`;
}
