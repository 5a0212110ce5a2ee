import { sql, type Queryable } from '../base/sql.js';
import type { SignerReference } from './auth-queries.js';
import type { JwtSigner } from './ext-jwt/index.js';

/** The trust in the identities that a signer or an authority authenticates. */
export type Vouching = {
  /** Whether it may also authenticate identities with permissions. */
  readonly trustedForManagement: boolean;
};

export interface KnownSigner extends JwtSigner, SignerReference, Vouching {}

/** Locks a signer against changes until the commit; undefined if it is deleted or not enabled. */
export async function holdEnabledSigner(tx: Queryable, id: string): Promise<Vouching | undefined> {
  const [row] = await tx.query(
    sql<Vouching>`select trusted_for_management as "trustedForManagement" from external_jwt_signer
      where id = ${id}::text and enabled for share`,
  );
  return row;
}

export const allSigners = (store: Queryable): Promise<KnownSigner[]> =>
  store.query(
    sql<KnownSigner>`select id, revision, created_at as "createdAt", issuer, audience, enabled, cert_pem as "certPem", kid, jwks_endpoint as "jwksEndpoint",
            claims_property as "claimsProperty", use_external_id as "useExternalId",
            external_auth_url as "externalAuthUrl", client_id as "clientId", scopes,
            trusted_for_management as "trustedForManagement"
          from external_jwt_signer order by id`,
  );
