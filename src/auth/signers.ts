import { detached } from '../kernel/request/request-scope.js';
import { sql } from '../base/sql.js';
import type { Store } from '../kernel/request/store-port.js';
import type { JwtSigner } from './ext-jwt/index.js';
import type { SignerReference } from './auth-queries.js';
import { hasRights, type Rights } from './rules/index.js';

export interface KnownSigner extends JwtSigner, SignerReference {
  /** Whether it vouches for identities with permissions, too. */
  readonly trustedForManagement: boolean;
}

/** Whether a signer or an authority vouches for an identity with these rights. */
export const vouchesFor = (
  { trustedForManagement }: Pick<KnownSigner, 'trustedForManagement'>,
  rights: Rights,
): boolean => trustedForManagement || !hasRights(rights);

/** The external signers, read once and again after a change; for a login as they are now. */
export class ExternalSigners {
  #all: Promise<readonly KnownSigner[]> | undefined;

  constructor(private readonly store: Store) {
    store.onChange((changes) => {
      if (changes.some((c) => c.resource === 'ExternalJwtSigner')) this.#all = undefined;
    });
  }

  all(): Promise<readonly KnownSigner[]> {
    this.#all ??= detached(() => this.read());
    return this.#all;
  }

  /** Never older than the call. */
  current(): Promise<readonly KnownSigner[]> {
    this.#all = undefined;
    return this.all();
  }

  async find(id: string): Promise<KnownSigner | undefined> {
    return (await this.all()).find((signer) => signer.id === id);
  }

  private async read(): Promise<readonly KnownSigner[]> {
    try {
      return await this.store.query(
        sql<KnownSigner>`select id, issuer, audience, enabled, cert_pem as "certPem", kid, jwks_endpoint as "jwksEndpoint",
            claims_property as "claimsProperty", use_external_id as "useExternalId",
            external_auth_url as "externalAuthUrl", client_id as "clientId", scopes,
            trusted_for_management as "trustedForManagement"
          from external_jwt_signer order by id`,
      );
    } catch (error) {
      this.#all = undefined;
      throw error;
    }
  }
}
