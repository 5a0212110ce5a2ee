import { column, isOneOf, raw, sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { isDisabledSql } from '../identity/index.js';
import { SESSION_RIGHTS } from './session-rights.js';
import { CLIENT_FINGERPRINTS } from './announced-session-rows.js';

type ApiSessionRow = TableRow<'ApiSession'>;
type Secondary = TableRow<'AuthPolicy'>['secondary'];

/** An API session with what its identity and its auth policy decide about its requests. */
export interface LoggedInSession
  extends
    Pick<ApiSessionRow, 'id' | 'createdAt' | 'token' | 'identityId' | 'authenticatorId'>,
    Pick<ApiSessionRow, 'configTypes' | 'lastActivityAt' | 'isMfaRequired' | 'isMfaComplete'>,
    Pick<ApiSessionRow, 'oidcClient'>,
    Pick<TableRow<'Identity'>, 'isMfaEnabled' | 'isAdmin' | 'permissions'> {
  readonly unproved: Partial<Secondary>;
  readonly secondary: Secondary;
}

/**
 * Names a session: by its token, or one over OpenID Connect by its id, which its access tokens have. The
 * token of such a session counts nowhere, since it would outlive the access tokens.
 */
export type SessionKey = { readonly token: string } | { readonly id: string };

/** Whether a row `s` of the table `api_session` has the key. */
export const isNamed = (key: SessionKey): Sql =>
  'token' in key
    ? sql`s.token = ${key.token}::text and s.oidc_client is null`
    : sql`s.id = ${key.id}::text and s.oidc_client is not null`;

/**
 * The session of a key, unless its identity is disabled. A statement, since nearly each request reads
 * three tables by it.
 */
export async function find(
  rows: Rows,
  key: SessionKey,
  now: Date,
): Promise<LoggedInSession | undefined> {
  const [session] = await rows.query(
    sql<LoggedInSession>`select s.id, s.created_at as "createdAt", s.token, s.identity_id as "identityId",
          s.authenticator_id as "authenticatorId", s.config_types as "configTypes",
          s.last_activity_at as "lastActivityAt", s.is_mfa_required as "isMfaRequired",
          s.is_mfa_complete as "isMfaComplete", s.oidc_client as "oidcClient", s.unproved, i.is_mfa_enabled as "isMfaEnabled",
          ${SESSION_RIGHTS}, p.secondary
        from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
        where ${isNamed(key)}
          and not ${isDisabledSql('i', now)}`,
  );
  return session;
}

/** The identities that have API sessions. */
export async function identitiesWithSessions(rows: Rows): Promise<string[]> {
  const owners = await rows.readModel((models) =>
    models.apiSession.groupBy({ by: ['identityId'] }),
  );
  return owners.map(({ identityId }) => identityId);
}

/**
 * Whether the client of a session may show the certificate with this fingerprint. A statement, since it shares the
 * fingerprints of three tables with what routers get.
 */
export async function acceptsCertificate(
  rows: Rows,
  id: string,
  fingerprint: string,
): Promise<boolean> {
  const accepted = await rows.query(
    sql<{ id: string }>`select s.id from api_session s
      where s.id = ${id}::text and ${fingerprint}::text = any(${CLIENT_FINGERPRINTS})`,
  );
  return accepted.length > 0;
}

/** The token of a session. */
export async function tokenOf(rows: Rows, id: string): Promise<string | undefined> {
  const session = await rows.readModel((models) =>
    models.apiSession.findUnique({ where: { id }, select: { token: true } }),
  );
  return session?.token;
}

/** Gives the token of the latest API session that an identity has by an authenticator. */
export async function latestTokenBy(
  rows: Rows,
  { identityId, authenticatorId }: Pick<ApiSessionRow, 'identityId' | 'authenticatorId'>,
): Promise<string | undefined> {
  const [session] = await rows.readModel((models) =>
    models.apiSession.findMany({
      where: { identityId, authenticatorId },
      select: { token: true },
      orderBy: { id: 'desc' },
      take: 1,
    }),
  );
  return session?.token;
}

type Activity = Pick<ApiSessionRow, 'id' | 'identityId' | 'oidcClient' | 'lastActivityAt'> & {
  readonly name: string;
};

/**
 * The last activity of the sessions that routers name, of identities that are not disabled: by their
 * tokens, or ids for those over OpenID Connect. A statement takes any number of names.
 */
export const activityOf = (rows: Rows, names: readonly string[], now: Date): Promise<Activity[]> =>
  rows.query(
    sql<Activity>`
        select s.id, case when s.oidc_client is null then s.token else s.id end as name,
          s.identity_id as "identityId", s.oidc_client as "oidcClient", s.last_activity_at as "lastActivityAt"
        from api_session s join identity i on i.id = s.identity_id
        where (s.token = any(${names}::text[]) and s.oidc_client is null
            or s.id = any(${names}::text[]) and s.oidc_client is not null)
          and not ${isDisabledSql('i', now)}`,
  );

/** The facts that decide when a session ends without another request. */
export type SessionLife = Pick<ApiSessionRow, 'id' | 'lastActivityAt' | 'oidcClient'>;

/** The last activity of sessions by id. A statement takes any number of ids. */
export const lastActivities = (rows: Rows, ids: readonly string[]): Promise<SessionLife[]> =>
  rows.query(
    sql<SessionLife>`select id, last_activity_at as "lastActivityAt", oidc_client as "oidcClient"
      from api_session where ${isOneOf(raw('id'), ids)}`,
  );

/** Sets activity between two future times to the current time. */
export const limitFutureActivity = (
  rows: Rows,
  now: Date,
  ahead: { readonly from: Date; readonly to: Date },
): Promise<unknown> =>
  rows.writeModel((models) =>
    models.apiSession.updateMany({
      where: { lastActivityAt: { gt: ahead.from, lt: ahead.to } },
      data: { lastActivityAt: now },
    }),
  );

/**
 * Stores later activity of sessions; `activity` has milliseconds by id. A statement takes any number of
 * them, and lets the later time win.
 */
export function storeActivity(
  rows: Rows,
  activity: readonly (readonly [id: string, at: number])[],
): Promise<unknown> {
  const [ids, times] = [activity.map(([id]) => id), activity.map(([, at]) => at)];
  return rows.query(
    sql`update api_session s set last_activity_at = greatest(s.last_activity_at, to_timestamp(v.at / 1000.0))
          from unnest(${ids}::text[], ${times}::double precision[]) v(id, at) where s.id = v.id`,
  );
}

/** The times since when sessions had activity; `oidcBefore` is for those over OpenID Connect. */
interface InactivityLimits {
  readonly before: Date;
  readonly oidcBefore: Date;
}

/**
 * Locks at most `limit` sessions without activity since the limits and gives their ids. It skips
 * sessions that another controller is deleting. Models have no locks.
 */
export async function lockInactive(
  tx: Rows,
  { before, oidcBefore }: InactivityLimits,
  limit: number,
): Promise<string[]> {
  const latest = before > oidcBefore ? before : oidcBefore;
  const sessions = await tx.query(
    sql<{
      id: string;
    }>`select id from api_session where last_activity_at < ${latest}::timestamptz
              and last_activity_at < case when oidc_client is null then ${before}::timestamptz else ${oidcBefore}::timestamptz end
            order by id limit ${limit}::int for update skip locked`,
  );
  return sessions.map(({ id }) => id);
}

/**
 * SQL of the time when a session ends without another request; `unstored` has the milliseconds, by
 * id, of activity that is not in the table yet.
 */
export function endSql(
  alias: string,
  { timeoutMs, oidcTimeoutMs }: { readonly timeoutMs: number; readonly oidcTimeoutMs: number },
  unstored: ReadonlyMap<string, number>,
): Sql {
  const stored = column(alias, 'last_activity_at');
  const unstoredJson = JSON.stringify(Object.fromEntries(unstored));
  const last =
    unstored.size === 0
      ? stored
      : sql`greatest(${stored}, timestamptz 'epoch' + (${unstoredJson}::jsonb ->> ${column(alias, 'id')})::float8 * interval '1 ms')`;
  const timeout = sql`case when ${column(alias, 'oidc_client')} is null then ${timeoutMs}::float8 else ${oidcTimeoutMs}::float8 end`;
  return sql`(${last} + (${timeout}) * interval '1 ms')`;
}
