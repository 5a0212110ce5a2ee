import { sql, type Queryable, type Sql } from '../base/sql.js';
import type { ServicePolicyType } from '../policy/index.js';

export type SessionRow = {
  readonly id: string;
  readonly api_session_id: string;
  readonly identity_id: string;
  readonly service_id: string;
  readonly type: ServicePolicyType;
};

/** The next sessions by id, of these identities or of all. */
export const nextSessions = (
  store: Queryable,
  { after, limit }: { readonly after: string; readonly limit: number },
  identityIds?: readonly string[],
): Promise<SessionRow[]> =>
  store.query(
    identityIds
      ? sql<SessionRow>`select id, api_session_id, identity_id, service_id, type from session
        where identity_id = any(${[...identityIds]}::text[]) and id > ${after}::text order by id limit ${limit}::int`
      : sql<SessionRow>`select id, api_session_id, identity_id, service_id, type from session
        where id > ${after}::text order by id limit ${limit}::int`,
  );

/** The unique key of a session. */
interface SessionKey {
  readonly apiSessionId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

/** The statement that gives the id of an API session's existing session for a service. */
export const sessionIdOf = ({ apiSessionId, serviceId, type }: SessionKey): Sql<{ id: string }> =>
  sql<{ id: string }>`select id from session where api_session_id = ${apiSessionId}::text
    and service_id = ${serviceId}::text and type = ${type}::text`;

/** Whether a session for a service exists. */
export async function sessionExists(store: Queryable, id: string): Promise<boolean> {
  const rows = await store.query(sql`select from session where id = ${id}::text`);
  return rows.length > 0;
}
