import { signerAuthenticator, type AuthPolicySecondary } from '../auth/index.js';
import { isOneOf, raw, sql, type Queryable } from '../base/sql.js';

/** The proofs that a session needs besides its login. */
export type RequiredProofsRow = {
  readonly id: string;
  readonly unproved: Partial<AuthPolicySecondary>;
  readonly is_mfa_enabled: boolean;
  readonly secondary: AuthPolicySecondary;
};

export const requiredProofs = (
  store: Queryable,
  ids: readonly string[],
): Promise<RequiredProofsRow[]> =>
  store.query(
    sql<RequiredProofsRow>`select s.id, s.unproved, i.is_mfa_enabled, p.secondary
        from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
        where ${isOneOf(raw('s.id'), ids)}`,
  );

type ActivityRow = { readonly id: string; readonly last_activity_at: Date };

export const lastActivities = (store: Queryable, ids: readonly string[]): Promise<ActivityRow[]> =>
  store.query(
    sql<ActivityRow>`select id, last_activity_at from api_session where ${isOneOf(raw('id'), ids)}`,
  );

/**
 * The sessions of an identity that came by an authority or a signer that is not trusted for
 * management, so that they may not have the rights of an administrator.
 */
export async function unvouchedSessions(tx: Queryable, identityId: string): Promise<string[]> {
  const rows = await tx.query(
    sql<{ id: string }>`select id from api_session where identity_id = ${identityId}::text and (
      ca_id in (select id from certificate_authority where not trusted_for_management)
      or authenticator_id in (select ${signerAuthenticator('')}::text || id from external_jwt_signer where not trusted_for_management))`,
  );
  return rows.map(({ id }) => id);
}
