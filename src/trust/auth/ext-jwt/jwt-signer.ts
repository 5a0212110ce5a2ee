import type { ClaimCondition } from '../rules/index.js';

/** The facts about an external JWT signer that the verification of its tokens needs. */
export interface JwtSigner {
  readonly id: string;
  /** Grows with each change of the signer. */
  readonly revision: number;
  /** Another one tells that the signer was deleted and made anew with the same id. */
  readonly createdAt: Date;
  /** Compared with the `iss` claim as text; one signer per issuer. */
  readonly issuer: string;
  /** A value that the `aud` claim must contain. Without one no token of this signer is accepted. */
  readonly audience: string | null;
  readonly enabled: boolean;
  /** The first certificate has the key; its dates and its issuer are not checked. */
  readonly certPem: string | null;
  /** Key id of `certPem`; null means the fingerprint of the certificate. */
  readonly kid: string | null;
  /** The URL of its key set, unless it has a certificate. */
  readonly jwksEndpoint: string | null;
  /** JSON pointer (RFC 6901) to the claim that names the identity; the leading slash is optional. */
  readonly claimsProperty: string;
  /** Whether that claim is the external id of the identity, not its id. */
  readonly useExternalId: boolean;
  /** All of them must be met. */
  readonly conditions: readonly ClaimCondition[];
}
