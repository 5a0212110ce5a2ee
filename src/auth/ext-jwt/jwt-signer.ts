/** An external JWT signer as the verification of its tokens needs it. */
export interface JwtSigner {
  readonly id: string;
  /** Compared with the `iss` claim as text; one signer per issuer. */
  readonly issuer: string;
  /** What the `aud` claim must contain. Without one no token of this signer is accepted. */
  readonly audience: string | null;
  readonly enabled: boolean;
  /** The first certificate holds the key; its dates and its issuer do not matter. */
  readonly certPem: string | null;
  /** Key id that goes with `certPem`; null means the fingerprint of the certificate. */
  readonly kid: string | null;
  /** Where its keys are, unless it has a certificate. */
  readonly jwksEndpoint: string | null;
  /** JSON pointer (RFC 6901) to the claim that names the identity; the leading slash is optional. */
  readonly claimsProperty: string;
  /** Whether that claim is the external id of the identity, not its id. */
  readonly useExternalId: boolean;
}
