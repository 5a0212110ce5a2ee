import { sql, type Sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';

/*
 * The sessions that routers know. Statements, not models: they take any number of ids, and each change
 * of a session reads five tables.
 */

/** The members of an API session that routers need. */
export interface KnownApiSession extends Pick<
  TableRow<'ApiSession'>,
  'id' | 'token' | 'identityId'
> {
  /** Lower-case hex SHA-1 of every certificate that its clients may present. */
  readonly fingerprints: readonly string[];
}

/**
 * Whether a session `s` has its second factor, with its identity `i` and the auth policy `p` of that.
 * Routers do not learn of sessions without it.
 */
const IS_COMPLETE = sql`(s.is_mfa_complete or not (s.is_mfa_required
  or coalesce(p.secondary -> 'requireTotp' = 'true'::jsonb, false)
  or coalesce(s.unproved -> 'requireTotp' = 'true'::jsonb, false)))`;

/** Routers check access tokens by themselves. */
const ANNOUNCED = sql`(s.oidc_client is null and ${IS_COMPLETE})`;

/** The same for a row `s` of the table `api_session` alone. */
export const HAS_SECOND_FACTOR: Sql = sql`exists (
  select from identity i join auth_policy p on p.id = i.auth_policy_id
  where i.id = s.identity_id and ${IS_COMPLETE})`;

/**
 * The fingerprints of the certificates with which the client of an API session may connect to
 * routers, for a row `s` of the table `api_session`.
 */
export const CLIENT_FINGERPRINTS: Sql = sql`array(
      select a.fingerprint from authenticator a where a.identity_id = s.identity_id and a.fingerprint is not null
      union select c.fingerprint from api_session_certificate c where c.api_session_id = s.id
      union select s.certificate_fingerprint where s.certificate_fingerprint is not null
    )`;

const select = (where: Sql, limit: Sql): Sql<KnownApiSession> =>
  sql`select s.id, s.token, s.identity_id as "identityId", ${CLIENT_FINGERPRINTS} as fingerprints
    from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
    where ${ANNOUNCED} and ${where} order by s.id ${limit}`;

/** Gives a page, by id, of all sessions that routers must know, for a full state. */
export const after = (rows: Rows, id: string, limit: number): Promise<KnownApiSession[]> =>
  rows.query(select(sql`s.id > ${id}::text`, sql`limit ${limit}::int`));

/** Gives the sessions with these ids and of these identities. */
export async function of(
  rows: Rows,
  ids: readonly string[],
  identityIds: readonly string[],
): Promise<KnownApiSession[]> {
  if (ids.length + identityIds.length === 0) return [];
  return rows.query(
    select(sql`(s.id = any(${ids}::text[]) or s.identity_id = any(${identityIds}::text[]))`, sql``),
  );
}
