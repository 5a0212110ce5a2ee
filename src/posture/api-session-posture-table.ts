import { sql, type Queryable } from '../base/sql.js';
import type { ClientSdk, SessionPosture } from './types/mfa/session-posture.js';

/** Null data: the client has not answered yet. An empty `sdk`: its SDK is unknown. */
export type SessionPostureRow = { data: SessionPosture | null; sdk: ClientSdk };

export async function findSessionPosture(
  tx: Queryable,
  apiSessionId: string,
): Promise<SessionPostureRow | undefined> {
  const [row] = await tx.query(
    sql<SessionPostureRow>`select p.data, s.sdk_info as sdk from api_session s
      left join api_session_posture p on p.api_session_id = s.id where s.id = ${apiSessionId}::text`,
  );
  return row;
}

/** An API session and the identity that it belongs to. */
export interface SessionOwner {
  readonly identityId: string;
  readonly apiSessionId: string;
}

/** Stores the posture of a session, as it was judged at a time. */
export async function storeSessionPosture(
  tx: Queryable,
  { identityId, apiSessionId }: SessionOwner,
  session: SessionPosture,
  judgedAt: Date,
): Promise<void> {
  // The table of API sessions holds the SDK.
  const data = { ...session, sdkInfo: undefined };
  const at = (millis: number | undefined): Date | null =>
    millis === undefined ? null : new Date(millis);
  await tx.query(
    sql`insert into api_session_posture (api_session_id, identity_id, data, passed_mfa_at, woken_at, unlocked_at, judged_at)
      values (${apiSessionId}::text, ${identityId}::text, ${JSON.stringify(data)}::jsonb, ${at(session.passedMfaAt)}::timestamptz,
        ${at(session.wokenAt)}::timestamptz, ${at(session.unlockedAt)}::timestamptz, ${judgedAt}::timestamptz)
      on conflict (api_session_id) do update set data = excluded.data, passed_mfa_at = excluded.passed_mfa_at,
        woken_at = excluded.woken_at, unlocked_at = excluded.unlocked_at, judged_at = excluded.judged_at
      returning api_session_id`,
  );
}

/** Whether the session was last judged at that time. */
export async function wasJudgedAt(
  tx: Queryable,
  apiSessionId: string,
  judgedAt: Date,
): Promise<boolean> {
  const [due] = await tx.query(
    sql`select api_session_id from api_session_posture
        where api_session_id = ${apiSessionId}::text and judged_at = ${judgedAt}::timestamptz`,
  );
  return due !== undefined;
}

type IdRow = { id: string };

/** The sessions of an identity that have passed MFA. */
export const sessionsPastMfa = (tx: Queryable, identityId: string): Promise<IdRow[]> =>
  tx.query(
    sql<IdRow>`select api_session_id as id from api_session_posture where identity_id = ${identityId}::text and passed_mfa_at is not null`,
  );

type JudgedRow = { api_session_id: string; identity_id: string; judged_at: Date };

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
 * its span.
 */
export const sessionsWithEndedMfa = (
  store: Queryable,
  { since, until }: Span,
  { timeouts, grace }: MfaSpans,
): Promise<JudgedRow[]> =>
  store.query(
    sql<JudgedRow>`select p.api_session_id, p.identity_id, p.judged_at from api_session_posture p where p.api_session_id in (
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
