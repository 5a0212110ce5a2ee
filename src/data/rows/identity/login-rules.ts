import { column, sql, type Sql } from '../../../base/sql.js';
import type { TableRow } from '../../prisma/models.js';

/** The rule of `isDisabled` in SQL, for a row of the table `identity`. */
export function isDisabledSql(alias: string, now: Date): Sql {
  const until = column(alias, 'disabled_until');
  return sql`(${column(alias, 'is_outside_times')}
    or ${column(alias, 'disabled_at')} is not null and (${until} is null or ${until} > ${now}::timestamptz))`;
}

/** The facts that decide about the logins of an identity. */
export interface LoginRules
  extends
    Pick<TableRow<'Identity'>, 'authPolicyId'>,
    Pick<TableRow<'AuthPolicy'>, 'primary' | 'secondary'> {
  readonly isDisabled: boolean;
}

/** The same as columns, of an identity `i` with its auth policy `p`. */
export const loginRulesSql = (now: Date): Sql =>
  sql`i.auth_policy_id as "authPolicyId", p."primary", p.secondary, ${isDisabledSql('i', now)} as "isDisabled"`;
