import { column, sql, type Queryable, type Sql } from '../base/sql.js';
import { isDisabledSql } from './identity-table.js';
import type { AuthPolicySecondary } from './rules/index.js';

/** An API session with the relevant columns of its identity and auth policy. */
export type ApiSessionRow = {
  readonly id: string;
  readonly created_at: Date;
  readonly token: string;
  readonly identity_id: string;
  readonly authenticator_id: string;
  readonly config_types: string[];
  readonly last_activity_at: Date;
  readonly is_mfa_required: boolean;
  readonly is_mfa_complete: boolean;
  readonly unproved: Partial<AuthPolicySecondary>;
  readonly is_mfa_enabled: boolean;
  readonly is_admin: boolean;
  readonly permissions: string[];
  readonly secondary: AuthPolicySecondary;
};

/** The session of a token, unless its identity is disabled. */
export async function findApiSession(
  store: Queryable,
  token: string,
  now: Date,
): Promise<ApiSessionRow | undefined> {
  const [row] = await store.query(
    sql<ApiSessionRow>`select s.id, s.created_at, s.token, s.identity_id, s.authenticator_id, s.config_types, s.last_activity_at,
          s.is_mfa_required, s.is_mfa_complete, s.unproved, i.is_mfa_enabled, i.is_admin, i.permissions, p.secondary
        from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
        where s.token = ${token}::text
          and not ${isDisabledSql('i', now)}`,
  );
  return row;
}

type ActivityRow = Pick<ApiSessionRow, 'id' | 'token' | 'identity_id' | 'last_activity_at'>;

/** The last activity of the sessions of these tokens, of identities that are not disabled. */
export const findActivity = (
  store: Queryable,
  tokens: readonly string[],
  now: Date,
): Promise<ActivityRow[]> =>
  store.query(
    sql<ActivityRow>`
        select s.id, s.token, s.identity_id, s.last_activity_at
        from api_session s join identity i on i.id = s.identity_id
        where s.token = any(${tokens}::text[])
          and not ${isDisabledSql('i', now)}`,
  );

/** The token of a session. */
export async function tokenOfApiSession(store: Queryable, id: string): Promise<string | undefined> {
  const [row] = await store.query(
    sql<{ token: string }>`select token from api_session where id = ${id}::text`,
  );
  return row?.token;
}

/**
 * Locks at most `limit` sessions without activity since `before` and gives their ids. It skips
 * sessions that another controller is deleting.
 */
export async function lockInactiveApiSessions(
  tx: Queryable,
  before: Date,
  limit: number,
): Promise<string[]> {
  const rows = await tx.query(
    sql<{
      id: string;
    }>`select id from api_session where last_activity_at < ${before}::timestamptz
            order by id limit ${limit}::int for update skip locked`,
  );
  return rows.map(({ id }) => id);
}

/** Sets activity between two future times to the current time. */
export const limitFutureActivity = (
  store: Queryable,
  now: Date,
  ahead: { readonly from: Date; readonly to: Date },
): Promise<unknown> =>
  store.query(
    sql`update api_session set last_activity_at = ${now}::timestamptz
        where last_activity_at > ${ahead.from}::timestamptz and last_activity_at < ${ahead.to}::timestamptz`,
  );

/** Stores later activity of sessions; `activity` has milliseconds by id. */
export function storeActivity(
  store: Queryable,
  activity: readonly (readonly [id: string, at: number])[],
): Promise<unknown> {
  const [ids, times] = [activity.map(([id]) => id), activity.map(([, at]) => at)];
  return store.query(
    sql`update api_session s set last_activity_at = greatest(s.last_activity_at, to_timestamp(v.at / 1000.0))
          from unnest(${ids}::text[], ${times}::double precision[]) v(id, at) where s.id = v.id`,
  );
}

/**
 * SQL of the time when a session ends without another request; `unstored` has the milliseconds, by
 * id, of activity that is not in the table yet.
 */
export function apiSessionEndSql(
  alias: string,
  timeoutMs: number,
  unstored: ReadonlyMap<string, number>,
): Sql {
  const stored = column(alias, 'last_activity_at');
  const unstoredJson = JSON.stringify(Object.fromEntries(unstored));
  const last =
    unstored.size === 0
      ? stored
      : sql`greatest(${stored}, timestamptz 'epoch' + (${unstoredJson}::jsonb ->> ${column(alias, 'id')})::float8 * interval '1 ms')`;
  return sql`(${last} + ${timeoutMs}::float8 * interval '1 ms')`;
}
