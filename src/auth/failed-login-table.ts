import { sql, type Queryable } from '../base/sql.js';
import {
  groupKey,
  type FailedLoginCount,
  type FailedLoginGroup,
  type FailedLoginOwner,
} from './failed-login-groups.js';
import type { LoginMethod } from './login-attempt.js';
import type { LoginRefusal } from './login-refusal.js';

/** The groups of these hours. */
export const groupsOfHours = (tx: Queryable, hours: readonly Date[]): Promise<FailedLoginGroup[]> =>
  tx.query(
    sql<FailedLoginGroup>`select hour, method, refusal, sender, owner, identity_id as "identityId"
      from failed_login where hour = any(${[...hours]}::timestamptz[])`,
  );

/** Adds to groups, as far as their identities exist, and to the failed logins of their hours. */
export async function addFailedLogins(
  tx: Queryable,
  counts: readonly FailedLoginCount[],
): Promise<void> {
  const rows = counts.map(({ identityId, lastAt, ...group }) => ({
    ...group,
    key: groupKey({ ...group, identityId }),
    identity_id: identityId,
    last_at: lastAt,
  }));
  await tx.query(
    sql`with r as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (hour timestamptz, key text, method text,
          refusal text, sender text, owner text, identity_id text, count integer, last_at timestamptz)
      ), existing as (
        select id from identity where id in (select identity_id from r) for key share
      ), of_hours as (
        insert into hourly_login (hour, failed_logins) select hour, sum(count) from r group by hour
        on conflict (hour) do update set failed_logins = hourly_login.failed_logins + excluded.failed_logins
      ) insert into failed_login (hour, key, method, refusal, sender, owner, identity_id, count, last_at)
      select hour, key, method, refusal, sender, owner, identity_id, count, last_at from r
      where identity_id is null or identity_id in (select id from existing)
      on conflict (hour, key) do update set count = failed_login.count + excluded.count,
        last_at = greatest(failed_login.last_at, excluded.last_at)`,
  );
}

/** Deletes the hours that began at a time or before. */
export const deleteFailedLogins = (store: Queryable, upTo: Date): Promise<unknown> =>
  store.query(sql`delete from failed_login where hour <= ${upTo}::timestamptz`);

/** Failed logins with the same reason, method, sender and owner. */
export type FailedLoginRow = {
  readonly method: LoginMethod;
  readonly refusal: LoginRefusal;
  readonly sender: string | null;
  readonly owner: FailedLoginOwner;
  readonly identityId: string | null;
  readonly count: number;
  readonly lastAt: Date;
  /** The number of groups, and of the logins in them, with those that are left out. */
  readonly groupCount: number;
  readonly total: number;
};

/** The largest groups since an hour. */
export const readFailedLogins = (
  store: Queryable,
  since: Date,
  limit: number,
): Promise<FailedLoginRow[]> =>
  store.query(
    sql<FailedLoginRow>`select method, refusal, sender, owner, identity_id as "identityId",
        sum(count)::float8 as count, max(last_at) as "lastAt",
        count(*) over ()::int as "groupCount", sum(sum(count)) over ()::float8 as total
      from failed_login where hour >= ${since}::timestamptz
      group by method, refusal, sender, owner, identity_id
      order by sum(count) desc, max(last_at) desc, method, refusal, sender, owner, identity_id
      limit ${limit}::int`,
  );
