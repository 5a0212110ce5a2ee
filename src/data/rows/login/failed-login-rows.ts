import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import type { LoginRefusal } from './login-refusal.js';

/* Logins that were refused, counted by the hour in groups. */

/** `mfa` is a second factor, a code or an external JWT; `enroll` is an enrollment by an external JWT. */
export type LoginMethod = 'password' | 'cert' | 'ext-jwt' | 'mfa' | 'enroll';

/** Whose login failed: that of an identity, of none that exists, or of several, which are added up. */
export type FailedLoginOwner = 'IDENTITY' | 'UNKNOWN' | 'SEVERAL';

declare module '../../prisma/models.js' {
  interface ColumnShapes {
    FailedLogin: {
      readonly method: LoginMethod;
      readonly refusal: LoginRefusal;
      readonly owner: FailedLoginOwner;
    };
  }
}

type FailedLoginRow = TableRow<'FailedLogin'>;

/**
 * The properties that all failed logins of a group share: `hour` is its beginning. The sender is an
 * address, or the /64 network of an IPv6 address; null: several are added up. The identity is null
 * unless the owner is one.
 */
export type FailedLoginGroup = Pick<
  FailedLoginRow,
  'hour' | 'method' | 'refusal' | 'sender' | 'owner' | 'identityId'
>;

export type FailedLoginCount = FailedLoginGroup & Pick<FailedLoginRow, 'count' | 'lastAt'>;

/** Tells the groups of an hour apart. */
export const groupKey = (group: Omit<FailedLoginGroup, 'hour'>): string =>
  JSON.stringify([group.method, group.refusal, group.sender, group.owner, group.identityId]);

/** The groups of these hours. A statement takes any number of them. */
export const groupsOf = (rows: Rows, hours: readonly Date[]): Promise<FailedLoginGroup[]> =>
  rows.query(
    sql<FailedLoginGroup>`select hour, method, refusal, sender, owner, identity_id as "identityId"
      from failed_login where hour = any(${[...hours]}::timestamptz[])`,
  );

/**
 * Adds to groups, as far as their identities exist, and to the failed logins of their hours. One
 * statement locks the identities and raises any number of counters.
 */
export async function add(tx: Rows, counts: readonly FailedLoginCount[]): Promise<void> {
  const groups = counts.map(({ identityId, lastAt, ...group }) => ({
    ...group,
    key: groupKey({ ...group, identityId }),
    identity_id: identityId,
    last_at: lastAt,
  }));
  await tx.query(
    sql`with r as (
        select * from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as (hour timestamptz, key text, method text,
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
export const removeUpTo = (rows: Rows, hour: Date): Promise<unknown> =>
  rows.writeModel((models) => models.failedLogin.deleteMany({ where: { hour: { lte: hour } } }));

/** Failed logins with the same reason, method, sender and owner. */
export interface FailedLogins extends Omit<FailedLoginCount, 'hour'> {
  /** The number of groups, and of the logins in them, with those that are left out. */
  readonly groupCount: number;
  readonly total: number;
}

/** The largest groups since an hour. One statement gives them and the totals. */
export const largestSince = (rows: Rows, hour: Date, limit: number): Promise<FailedLogins[]> =>
  rows.query(
    sql<FailedLogins>`select method, refusal, sender, owner, identity_id as "identityId",
        sum(count)::float8 as count, max(last_at) as "lastAt",
        count(*) over ()::int as "groupCount", sum(sum(count)) over ()::float8 as total
      from failed_login where hour >= ${hour}::timestamptz
      group by method, refusal, sender, owner, identity_id
      order by sum(count) desc, max(last_at) desc, method, refusal, sender, owner, identity_id
      limit ${limit}::int`,
  );
