import { compactVerify, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { isObject } from '../../base/row.js';
import type { TokenKeys } from '../auth/index.js';
import type { TokenKind } from './claims.js';
import { CLIENT_IDS } from './clients.js';

/** The claims of a verified access token or refresh token. */
export interface TokenClaims {
  readonly jti: string;
  readonly identityId: string;
  readonly apiSessionId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
  readonly authenticatedAt: Date;
  /** SHA-1 of the certificates, one of which its client must show; empty: none. */
  readonly fingerprints: readonly string[];
}

/**
 * Why a text is no token of the asked kind: another issuer signed it (`foreign`), it is ours but was
 * altered or is of another kind, or its time is over.
 */
export type TokenFault = 'foreign' | 'invalid' | 'expired';

export interface VerifyOptions {
  readonly keys: Pick<TokenKeys, 'find'>;
  readonly now: () => Date;
}

/** Verifies a token of a kind that any controller of the network has signed. Never throws. */
export async function verifyToken(
  token: string,
  kind: TokenKind,
  { keys, now }: VerifyOptions,
): Promise<TokenClaims | TokenFault> {
  const kid = kidOf(token);
  const signer = kid === undefined ? undefined : await keys.find(kid);
  if (!signer) return 'foreign';
  try {
    const { payload } = await jwtVerify(token, signer.key, {
      // By the key alone: the header of a token does not choose (RFC 8725 3.1).
      algorithms: [signer.algorithm.jws],
      audience: [...CLIENT_IDS],
      currentDate: now(),
      requiredClaims: ['exp', 'sub', 'jti', 'z_asid'],
    });
    return payload.z_t === kind ? claimsOf(payload) : 'invalid';
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'invalid';
  }
}

/** The session that an ID token is of, and the client that has got it. */
export type IdTokenOwner = Pick<TokenClaims, 'apiSessionId' | 'clientId'>;

/**
 * The owner of an ID token that we have signed, also of an expired one: it only says which session to
 * end. Undefined for other texts.
 */
export async function ownerOfIdToken(
  token: string,
  keys: VerifyOptions['keys'],
): Promise<IdTokenOwner | undefined> {
  const kid = kidOf(token);
  const signer = kid === undefined ? undefined : await keys.find(kid);
  if (!signer) return undefined;
  try {
    const options = { algorithms: [signer.algorithm.jws] };
    const { payload } = await compactVerify(token, signer.key, options);
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    if (!isObject(claims) || claims.z_t !== undefined) return undefined;
    const { azp: clientId, z_asid: apiSessionId } = claims;
    const isIdToken = typeof clientId === 'string' && typeof apiSessionId === 'string';
    return isIdToken ? { apiSessionId, clientId } : undefined;
  } catch {
    return undefined;
  }
}

function kidOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

const time = (seconds: unknown): Date => new Date(Number(seconds) * 1000);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** The claims of a payload whose signature is ours. */
const claimsOf = (payload: JWTPayload): TokenClaims => ({
  jti: payload.jti ?? '',
  identityId: payload.sub ?? '',
  apiSessionId: String(payload.z_asid),
  clientId: String(payload.client_id),
  scopes: texts(payload.scopes),
  expiresAt: time(payload.exp),
  authenticatedAt: time(payload.auth_time),
  fingerprints: texts(payload.z_cfs),
});
