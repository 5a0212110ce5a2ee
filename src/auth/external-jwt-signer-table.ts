import { sql, type Queryable } from '../base/sql.js';
import type { SignerReference } from './auth-queries.js';
import type { JwtSigner } from './ext-jwt/index.js';

export interface KnownSigner extends JwtSigner, SignerReference {
  /** Whether it may also authenticate identities with permissions. */
  readonly trustedForManagement: boolean;
}

export const allSigners = (store: Queryable): Promise<KnownSigner[]> =>
  store.query(
    sql<KnownSigner>`select id, revision, created_at as "createdAt", issuer, audience, enabled, cert_pem as "certPem", kid, jwks_endpoint as "jwksEndpoint",
            claims_property as "claimsProperty", use_external_id as "useExternalId",
            external_auth_url as "externalAuthUrl", client_id as "clientId", scopes,
            trusted_for_management as "trustedForManagement"
          from external_jwt_signer order by id`,
  );
