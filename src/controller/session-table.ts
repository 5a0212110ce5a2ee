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

/** Gives the token of an API session. */
export async function tokenOfApiSession(store: Queryable, id: string): Promise<string> {
  const [row] = await store.query(
    sql<{ token: string }>`select token from api_session where id = ${id}::text`,
  );
  if (!row) throw new Error('the API session ended at once');
  return row.token;
}

/** Whether a router with this id has a tunneler, and with it an identity of the same id. */
export async function hasTunneler(store: Queryable, routerId: string): Promise<boolean> {
  const rows = await store.query(
    sql`select from router where id = ${routerId}::text and is_edge and is_tunneler_enabled`,
  );
  return rows.length > 0;
}

/** Gives the token of the latest API session that the controller opened for an identity. */
export async function internalApiSession(
  store: Queryable,
  identityId: string,
): Promise<string | undefined> {
  const [row] = await store.query(
    sql<{ token: string }>`select token from api_session
      where identity_id = ${identityId}::text and authenticator_id = 'internal' order by id desc limit 1`,
  );
  return row?.token;
}
