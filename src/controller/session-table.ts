import { sql, type Queryable } from '../base/sql.js';

/** How many sessions there are: API sessions, and sessions for services. */
type SessionCounts = { readonly api: number; readonly service: number };

const NO_SESSIONS: SessionCounts = { api: 0, service: 0 };

/** API sessions count that were active since then. */
export async function countSessions(store: Queryable, since: Date): Promise<SessionCounts> {
  const [counts = NO_SESSIONS] = await store.query(
    sql<SessionCounts>`select (select count(*) from api_session where last_activity_at >= ${since}::timestamptz)::int as api,
          (select count(*) from session)::int as service`,
  );
  return counts;
}
