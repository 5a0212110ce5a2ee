import { sql, type Queryable } from '../base/sql.js';

/** The numbers of API sessions and service sessions. */
type SessionCounts = { readonly api: number; readonly service: number };

const NO_SESSIONS: SessionCounts = { api: 0, service: 0 };

/** Counts service sessions, and API sessions with activity since a time. */
export async function countSessions(store: Queryable, since: Date): Promise<SessionCounts> {
  const [counts = NO_SESSIONS] = await store.query(
    sql<SessionCounts>`select (select count(*) from api_session where last_activity_at >= ${since}::timestamptz)::int as api,
          (select count(*) from session)::int as service`,
  );
  return counts;
}
