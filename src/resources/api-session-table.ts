import { signerAuthenticator, type AuthPolicySecondary } from '../auth/index.js';
import { column, isOneOf, raw, sql, type Queryable, type Sql } from '../base/sql.js';

/** The second factors that the identity and the auth policy of a session ask for. */
export interface AskedProofs {
  readonly isMfaEnabled: boolean;
  readonly secondary: AuthPolicySecondary;
}

/** The same in SQL, as JSON, for a row of the table `api_session`. */
export const askedProofsSql = (alias: string): Sql =>
  sql`(select json_build_object('isMfaEnabled', i.is_mfa_enabled, 'secondary', p.secondary)
    from identity i join auth_policy p on p.id = i.auth_policy_id where i.id = ${column(alias, 'identity_id')})`;

type ActivityRow = { readonly id: string; readonly last_activity_at: Date };

export const lastActivities = (store: Queryable, ids: readonly string[]): Promise<ActivityRow[]> =>
  store.query(
    sql<ActivityRow>`select id, last_activity_at from api_session where ${isOneOf(raw('id'), ids)}`,
  );

/**
 * The sessions of an identity that came by an authority or a signer that is not trusted for
 * management, so that they may not have the rights of an administrator.
 */
export const unvouchedSessions = (tx: Queryable, identityId: string): Promise<string[]> =>
  sessionIds(
    tx,
    sql`s.identity_id = ${identityId}::text and (
      s.ca_id in (select id from certificate_authority where not trusted_for_management)
      or s.authenticator_id in (select ${signerAuthenticator('')}::text || id from external_jwt_signer where not trusted_for_management))`,
  );

/** All sessions, or those of identities with rights alone. */
interface EndedSessions {
  readonly areAllOver: boolean;
}

const HAS_RIGHTS = sql`(i.is_admin or i.permissions <> '{}')`;

/** The sessions that came by a signer. */
export const sessionsOfSigner = (
  tx: Queryable,
  signerId: string,
  { areAllOver }: EndedSessions,
): Promise<string[]> =>
  sessionIds(
    tx,
    sql`s.authenticator_id = ${signerAuthenticator(signerId)}::text and (${areAllOver}::boolean or ${HAS_RIGHTS})`,
  );

/**
 * The sessions that came by an authority. Those of identities with rights alone are those by an
 * external id: otherwise an administrator has given the identity the certificate.
 */
export const sessionsOfAuthority = (
  tx: Queryable,
  caId: string,
  { areAllOver }: EndedSessions,
): Promise<string[]> =>
  sessionIds(
    tx,
    sql`s.ca_id = ${caId}::text
      and (${areAllOver}::boolean or (s.authenticator_id = 'internal' and ${HAS_RIGHTS}))`,
  );

/** The ids of sessions `s` of identities `i`. */
async function sessionIds(tx: Queryable, where: Sql): Promise<string[]> {
  const rows = await tx.query(
    sql<{
      id: string;
    }>`select s.id from api_session s join identity i on i.id = s.identity_id where ${where}`,
  );
  return rows.map(({ id }) => id);
}
