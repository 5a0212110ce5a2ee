import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';

/* The posture of API sessions: when their second factors were given, and the events since. */

/** The SDK as its client described it at login. */
export interface ClientSdk {
  readonly appId?: string;
  readonly appVersion?: string;
  readonly branch?: string;
  readonly revision?: string;
  readonly type?: string;
  readonly version?: string;
}

/** Of one API session, and gone with it. Instants are milliseconds since the epoch. */
export interface SessionPosture {
  readonly passedMfaAt?: number | undefined;
  /** When the device last woke, and was last unlocked. */
  readonly wokenAt?: number;
  readonly unlockedAt?: number;
  readonly sdkInfo?: ClientSdk;
  /**
   * The MFA checks that were seen to have timed out since MFA was last passed: they stay failed
   * until it is passed again, even when their timeout is made longer meanwhile.
   */
  readonly timedOutChecks: readonly string[];
}

/** Null data: the client has not answered yet. An empty `sdk`: its SDK is unknown. */
export type StoredSession = { readonly data: SessionPosture | null; readonly sdk: ClientSdk };

/** A statement over two tables, since it runs at each answer of a client. */
export async function find(tx: Rows, apiSessionId: string): Promise<StoredSession | undefined> {
  const [row] = await tx.query(
    sql<StoredSession>`select p.data, s.sdk_info as sdk from api_session s
      left join api_session_posture p on p.api_session_id = s.id where s.id = ${apiSessionId}::text`,
  );
  return row;
}

/** An API session and the identity that it belongs to. */
export interface SessionOwner {
  readonly identityId: string;
  readonly apiSessionId: string;
}

/**
 * Stores the posture of a session, as it was judged at a time. By models, 670 reports of clients are
 * stored a second instead of 1,020 (`npm run bench`), so this is a statement.
 */
export const put = (
  tx: Rows,
  { identityId, apiSessionId }: SessionOwner,
  session: SessionPosture,
  judgedAt: Date,
): Promise<unknown> => {
  // The table of API sessions holds the SDK.
  const data = { ...session, sdkInfo: undefined };
  return tx.query(
    sql`insert into api_session_posture (api_session_id, identity_id, data, passed_mfa_at, woken_at, unlocked_at, judged_at)
      values (${apiSessionId}::text, ${identityId}::text, ${JSON.stringify(data)}::jsonb,
        ${dateOf(session.passedMfaAt)}::timestamptz, ${dateOf(session.wokenAt)}::timestamptz,
        ${dateOf(session.unlockedAt)}::timestamptz, ${judgedAt}::timestamptz)
      on conflict (api_session_id) do update set data = excluded.data, passed_mfa_at = excluded.passed_mfa_at,
        woken_at = excluded.woken_at, unlocked_at = excluded.unlocked_at, judged_at = excluded.judged_at
      returning api_session_id`,
  );
};

const dateOf = (millis: number | undefined): Date | null =>
  millis === undefined ? null : new Date(millis);

/** Whether the session was last judged at that time. */
export async function wasJudgedAt(
  tx: Rows,
  apiSessionId: string,
  judgedAt: Date,
): Promise<boolean> {
  const posture = await tx.readModel((models) =>
    models.apiSessionPosture.findUnique({ where: { apiSessionId }, select: { judgedAt: true } }),
  );
  return posture?.judgedAt.getTime() === judgedAt.getTime();
}

/** The sessions of an identity that have passed MFA. */
export async function idsPastMfa(tx: Rows, identityId: string): Promise<string[]> {
  const sessions = await tx.readModel((models) =>
    models.apiSessionPosture.findMany({
      where: { identityId, passedMfaAt: { not: null } },
      select: { apiSessionId: true },
    }),
  );
  return sessions.map(({ apiSessionId }) => apiSessionId);
}

/** A session, and when it was last judged. */
export interface JudgedSession extends SessionOwner {
  readonly judgedAt: Date;
}

/** A span of time, in milliseconds since 1970. */
interface Span {
  readonly since: number;
  readonly until: number;
}

/** How long, in seconds, a pass of MFA counts, and how long it counts after a device wakes up. */
interface MfaSpans {
  readonly timeouts: readonly number[];
  readonly grace: number;
}

/**
 * The sessions for which a span of MFA ended in between. A pass counts up to the last millisecond of
 * its span. A statement, since it compares with any number of spans.
 */
export const withEndedMfa = (
  rows: Rows,
  { since, until }: Span,
  { timeouts, grace }: MfaSpans,
): Promise<JudgedSession[]> =>
  rows.query(
    sql<JudgedSession>`select p.api_session_id as "apiSessionId", p.identity_id as "identityId", p.judged_at as "judgedAt"
        from api_session_posture p where p.api_session_id in (
          select q.api_session_id from unnest(${timeouts}::float8[]) span join api_session_posture q
            on q.passed_mfa_at >= to_timestamp(${since}::float8 / 1000 - span) - interval '1 ms'
           and q.passed_mfa_at < to_timestamp(${until}::float8 / 1000 - span)
          union select q.api_session_id from api_session_posture q
           where q.woken_at >= to_timestamp(${since / 1000 - grace}::float8) - interval '1 ms'
             and q.woken_at <= to_timestamp(${until / 1000 - grace}::float8)
          union select q.api_session_id from api_session_posture q
           where q.unlocked_at >= to_timestamp(${since / 1000 - grace}::float8) - interval '1 ms'
             and q.unlocked_at <= to_timestamp(${until / 1000 - grace}::float8)
        ) order by p.api_session_id`,
  );
