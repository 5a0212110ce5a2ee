import { and, sql, TRUE, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/* Sessions for services, within API sessions. */

/** Whether a session exists. */
export async function exists(rows: Rows, id: string): Promise<boolean> {
  const session = await rows.readModel((models) =>
    models.session.findUnique({ where: { id }, select: { id: true } }),
  );
  return session !== null;
}

/** The unique key of a session. */
type SessionKey = Pick<TableRow<'Session'>, 'apiSessionId' | 'serviceId' | 'type'>;

/**
 * The statement that gives the id of an API session's existing session for a service. The store keeps
 * rows of statements, not of models.
 */
export const idStatement = ({ apiSessionId, serviceId, type }: SessionKey): Sql<{ id: string }> =>
  sql<{ id: string }>`select id from session where api_session_id = ${apiSessionId}::text
    and service_id = ${serviceId}::text and type = ${type}::text`;

/* Statements, not models: any number of values is one parameter, and counts of two tables are one row. */

/** A session with the facts that its access depends on. */
export type ServiceSession = Pick<
  TableRow<'Session'>,
  'id' | 'apiSessionId' | 'identityId' | 'serviceId' | 'type'
> & {
  /** Its client logged in over OpenID Connect. */
  readonly isOpenId: boolean;
};

const selectSessions = (where: Sql, limit: Sql): Sql<ServiceSession> =>
  sql<ServiceSession>`select v.id, v.api_session_id as "apiSessionId", v.identity_id as "identityId",
      v.service_id as "serviceId", v.type, s.oidc_client is not null as "isOpenId"
    from session v join api_session s on s.id = v.api_session_id
    where ${where} order by v.id ${limit}`;

/** The next sessions by id, of these identities or of all. */
export const next = (
  rows: Rows,
  { after, limit }: { readonly after: string; readonly limit: number },
  identityIds?: readonly string[],
): Promise<ServiceSession[]> => {
  const among = identityIds ? sql`v.identity_id = any(${[...identityIds]}::text[])` : TRUE;
  const isNext = and(among, sql`v.id > ${after}::text`);
  return rows.query(selectSessions(isNext, sql`limit ${limit}::int`));
};

/** Those of these sessions whose clients logged in over OpenID Connect. */
export const openIdAmong = (rows: Rows, ids: readonly string[]): Promise<ServiceSession[]> =>
  rows.query(
    selectSessions(sql`v.id = any(${[...ids]}::text[]) and s.oidc_client is not null`, sql``),
  );

/** Gives those of these tokens that no session has. */
export async function unknownTokens(rows: Rows, tokens: readonly string[]): Promise<string[]> {
  const unknown = await rows.query(
    sql<{ token: string }>`select t.token from unnest(${[...tokens]}::text[]) t (token)
      where not exists (select from session s where s.token = t.token)`,
  );
  return unknown.map(({ token }) => token);
}

/** The numbers of API sessions and of sessions for services. */
type SessionCounts = { readonly api: number; readonly service: number };

const NO_SESSIONS: SessionCounts = { api: 0, service: 0 };

/** Counts sessions for services, and API sessions with activity since a time. */
export async function count(rows: Rows, since: Date): Promise<SessionCounts> {
  const [counts = NO_SESSIONS] = await rows.query(
    sql<SessionCounts>`select (select count(*) from api_session where last_activity_at >= ${since}::timestamptz)::int as api,
          (select count(*) from session)::int as service`,
  );
  return counts;
}
