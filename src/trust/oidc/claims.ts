import { createHash, randomUUID } from 'node:crypto';
import { signerOf, type OidcSession } from '../../data/rows/api-session/index.js';
import type { SigningAlgorithm } from '../pki/index.js';

/** The kinds of tokens that stand for an API session, as routers and controllers know them. */
export const TOKEN_KIND = { access: 'a', refresh: 'r' } as const;
export type TokenKind = (typeof TOKEN_KIND)[keyof typeof TOKEN_KIND];

/** The facts of tokens that are issued together. */
export interface TokenFacts {
  readonly session: OidcSession;
  readonly issuer: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: Date;
}

type Claims = Readonly<Record<string, unknown>>;

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** How the identity was proved (RFC 8176), in the words of the field. */
function authenticationMethods(session: OidcSession): string[] {
  const signer = session.secondary.requireExtJwtSigner;
  const isSignerProved = signer !== null && session.unproved.requireExtJwtSigner !== signer;
  return [
    primaryMethod(session),
    ...(session.isMfaComplete ? ['totp'] : []),
    ...(isSignerProved ? [`ejs:${signer}`] : []),
  ];
}

export function primaryMethod({
  authenticatorId,
  certificateFingerprint,
}: Pick<OidcSession, 'authenticatorId' | 'certificateFingerprint'>):
  'ext-jwt' | 'cert' | 'password' {
  if (signerOf(authenticatorId) !== '') return 'ext-jwt';
  return certificateFingerprint === null ? 'password' : 'cert';
}

/**
 * Tokens have whole seconds, and the tokens of an identity end that were issued up to its revocation. A session
 * that lives began after it, maybe in the same second or at a controller with another clock.
 */
const issuedAt = ({ session: { revokedBefore }, now }: TokenFacts): number =>
  Math.max(secondsOf(now), revokedBefore === null ? 0 : secondsOf(revokedBefore) + 1);

const commonClaims = (facts: TokenFacts, seconds: number): Claims => {
  const { session, issuer, clientId, now } = facts;
  return {
    iss: issuer,
    sub: session.identityId,
    aud: [clientId],
    iat: issuedAt(facts),
    exp: secondsOf(now) + seconds,
    auth_time: secondsOf(session.createdAt),
    amr: authenticationMethods(session),
    client_id: clientId,
    ...(session.isAdmin ? { z_ia: true } : {}),
    ...(session.externalId === null ? {} : { z_eid: session.externalId }),
    z_asid: session.id,
  };
};

/** The claims of the API session, which routers read. */
function sessionClaims({ session, clientId, scopes }: TokenFacts): Claims {
  const { configTypes } = session;
  return {
    jti: randomUUID(),
    z_aid: clientId,
    scopes,
    ...(configTypes.length === 0 ? {} : { z_ct: configTypes }),
    z_cfs: fingerprintsIn(session),
    z_sdk: session.sdkInfo,
    z_env: session.envInfo,
    z_ra: session.ipAddress,
    z_ice: session.isCertExtendable,
    z_cer: session.isCertExtendRequested,
    z_ckrr: session.isCertKeyRollRequested,
    z_iccc: session.improperClientCertChain,
    ...(session.primary.cert.allowExpiredCerts ? { z_cae: true } : {}),
    z_authid: session.authenticatorId,
  };
}

/** SHA-1 of the certificates, one of which the client of a token has to show. Null: it needs none. */
function fingerprintsIn(session: OidcSession): readonly string[] | null {
  const { certificateFingerprint, issuedFingerprint, fingerprints } = session;
  if (certificateFingerprint !== null) return fingerprints;
  return issuedFingerprint === null ? null : [issuedFingerprint];
}

/** The claims of an access token or a refresh token. */
export const tokenClaims = (facts: TokenFacts, kind: TokenKind, seconds: number): Claims => ({
  ...commonClaims(facts, seconds),
  ...sessionClaims(facts),
  z_t: kind,
});

/** The tokens and the nonce that an ID token goes with. */
export interface IdTokenContext {
  readonly accessToken: string;
  readonly nonce: string | null;
  readonly algorithm: SigningAlgorithm;
}

/** The claims of an ID token (OpenID Connect Core 2 and 3.1.3.6). */
export const idClaims = (
  facts: TokenFacts,
  seconds: number,
  { accessToken, nonce, algorithm }: IdTokenContext,
): Claims => ({
  ...commonClaims(facts, seconds),
  azp: facts.clientId,
  name: facts.session.identityName,
  at_hash: halfHash(accessToken, algorithm.digest),
  ...(nonce === null ? {} : { nonce }),
});

function halfHash(token: string, digest: string): string {
  const hash = createHash(digest).update(token).digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
