import { sql } from '../../../base/sql.js';
import type { Rows } from '../../../kernel/request/store-port.js';
import type { TableRow } from '../../prisma/models.js';
import { isDisabledSql } from '../identity/index.js';
import { identityRevokedBefore, isTokenRevokedSql } from '../revocation/index.js';
import { SESSION_RIGHTS } from './session-rights.js';
import { CLIENT_FINGERPRINTS } from './announced-session-rows.js';

type ApiSessionRow = TableRow<'ApiSession'>;
type IdentityRow = TableRow<'Identity'>;
type PolicyRow = TableRow<'AuthPolicy'>;

/** An API session over OpenID Connect with the facts that its tokens carry. */
export interface OidcSession
  extends
    Pick<ApiSessionRow, 'id' | 'createdAt' | 'identityId' | 'authenticatorId' | 'ipAddress'>,
    Pick<ApiSessionRow, 'lastActivityAt'>,
    Pick<ApiSessionRow, 'configTypes' | 'isMfaRequired' | 'isMfaComplete' | 'sdkInfo'>,
    Pick<ApiSessionRow, 'certificateFingerprint' | 'isCertExtendable' | 'improperClientCertChain'>,
    Pick<IdentityRow, 'externalId' | 'isAdmin' | 'permissions' | 'isMfaEnabled' | 'envInfo'>,
    Pick<PolicyRow, 'primary' | 'secondary'> {
  readonly identityName: string;
  readonly oidcClient: string;
  readonly unproved: Partial<PolicyRow['secondary']>;
  /** SHA-1 of every certificate that its clients may show. */
  readonly fingerprints: readonly string[];
  /** The tokens of its identity from before have ended; null without a revocation. */
  readonly revokedBefore: Date | null;
  /** SHA-1 of the certificate that its login asked for; null without one. Its id is that of the session. */
  readonly issuedFingerprint: string | null;
  readonly isCertExtendRequested: boolean;
  readonly isCertKeyRollRequested: boolean;
}

/** Names a session, and the token that names it. */
interface SessionOfToken {
  readonly id: string;
  readonly jti?: string | undefined;
}

/**
 * The session with this id, unless its identity is disabled or its token was revoked. A statement, since it
 * reads six tables.
 */
export async function find(
  rows: Rows,
  { id, jti }: SessionOfToken,
  now: Date,
): Promise<OidcSession | undefined> {
  const [session] = await rows.query(
    sql<OidcSession>`select s.id, s.created_at as "createdAt", s.last_activity_at as "lastActivityAt", s.identity_id as "identityId",
        s.authenticator_id as "authenticatorId", s.ip_address as "ipAddress", s.config_types as "configTypes",
        s.is_mfa_required as "isMfaRequired", s.is_mfa_complete as "isMfaComplete", s.sdk_info as "sdkInfo",
        s.certificate_fingerprint as "certificateFingerprint", s.is_cert_extendable as "isCertExtendable",
        s.improper_client_cert_chain as "improperClientCertChain", s.oidc_client as "oidcClient", s.unproved,
        ${CLIENT_FINGERPRINTS} as fingerprints,
        (select c.fingerprint from api_session_certificate c where c.id = s.id) as "issuedFingerprint", i.name as "identityName", i.external_id as "externalId", ${SESSION_RIGHTS},
        i.is_mfa_enabled as "isMfaEnabled", i.env_info as "envInfo", p."primary", p.secondary,
        ${identityRevokedBefore('i')} as "revokedBefore",
        coalesce(a.is_extend_requested, false) as "isCertExtendRequested",
        coalesce(a.is_key_roll_requested, false) as "isCertKeyRollRequested"
      from api_session s join identity i on i.id = s.identity_id join auth_policy p on p.id = i.auth_policy_id
        left join authenticator a on a.id = s.authenticator_id
      where s.id = ${id}::text and s.oidc_client is not null and not ${isDisabledSql('i', now)}
        ${jti === undefined ? sql`` : sql`and not ${isTokenRevokedSql(jti)}`}`,
  );
  return session;
}
