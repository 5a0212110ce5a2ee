import { compactVerify, decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { valueAtPointer } from '../../../base/json-pointer.js';
import { fingerprint, parseCertificatePem } from '../../pki/index.js';
import type { TokenFault } from '../../../data/rows/login/index.js';
import { claimsPointer, meetsCondition } from '../rules/index.js';
import { claimsFault } from './claims-fault.js';
import type { JwksKeys } from './jwks-keys.js';
import type { JwtSigner } from './jwt-signer.js';
import type { VerificationKey } from './verification-key.js';

/** Longest token in characters; tokens with many groups have some thousand. */
const MAX_CHARACTERS = 16 * 1024;
/** RFC 7515 2 and 7.1: without white space, which decoders would ignore. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** RFC 7518 3.3 to 3.5 and RFC 8037: only signatures, without `none` and shared secrets. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];

/** The `error_description` of a challenge: clients know these texts. */
const DESCRIPTIONS = {
  missing: 'no matching token was provided',
  invalid: 'token is invalid',
  expired: 'token expired',
} as const;

export interface VerifiedExternalJwt<S extends JwtSigner = JwtSigner> {
  readonly ok: true;
  readonly signer: S;
  /** Id or external id of the identity, as `signer.useExternalId` says. */
  readonly claim: string;
  readonly claims: JWTPayload;
}

export interface ExternalJwtFailure<S extends JwtSigner = JwtSigner> {
  readonly ok: false;
  /** A token without an enabled signer counts as missing. */
  readonly error: keyof typeof DESCRIPTIONS;
  readonly description: string;
  /** For administrators; it contains no part of the token. */
  readonly reason: TokenFault;
  /** The enabled signer that issued the token, as the token says. */
  readonly signer?: S;
  /** The enabled signers, which a challenge names. */
  readonly candidates: readonly S[];
}

/** The keys of signers, and the accepted difference between their clocks and the own one. */
export type SignerKeys = Pick<JwksKeys, 'find' | 'findNewer' | 'leewayMs'>;

export interface ExternalJwtContext {
  readonly clock: () => Date;
  readonly keys: SignerKeys;
}

class Refusal extends Error {
  constructor(readonly reason: TokenFault) {
    super(reason);
  }

  /** A token without an enabled signer counts as missing. */
  get error(): keyof typeof DESCRIPTIONS {
    if (this.reason === 'EXPIRED_TOKEN') return 'expired';
    return UNCLAIMED.includes(this.reason) ? 'missing' : 'invalid';
  }
}

const UNCLAIMED: readonly TokenFault[] = ['MISSING_TOKEN', 'MALFORMED_TOKEN', 'UNKNOWN_ISSUER'];

/**
 * Checks a JWT of an external signer: the signer by `iss`, the signature, the audience (`aud`) and
 * the times (`exp`, which is required, `nbf` and `iat`). An invalid token is a result, not an
 * exception.
 */
export async function verifyExternalJwt<S extends JwtSigner>(
  token: string | undefined,
  signers: readonly S[],
  context: ExternalJwtContext,
): Promise<VerifiedExternalJwt<S> | ExternalJwtFailure<S>> {
  const candidates = signers.filter(({ enabled }) => enabled);
  let signer: S | undefined;
  try {
    const presented = readUnverified(token);
    const { claims } = presented;
    signer = candidates.find(({ issuer }) => issuer === claims.iss);
    if (!signer) throw new Refusal('UNKNOWN_ISSUER');
    await verify(presented, signer, context);
    return { ok: true, signer, claim: identityClaim(signer, claims), claims };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    const { error, reason } = fault;
    const failure = { ok: false, error, description: DESCRIPTIONS[error], reason } as const;
    return { ...failure, candidates, ...(signer ? { signer } : {}) };
  }
}

/** A token as it is presented: everybody can write one. */
interface PresentedToken {
  readonly text: string;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: JWTPayload;
}

function readUnverified(text: string | undefined): PresentedToken {
  if (text === undefined || text === '') throw new Refusal('MISSING_TOKEN');
  if (text.length > MAX_CHARACTERS || !COMPACT_JWS.test(text)) throw new Refusal('MALFORMED_TOKEN');
  try {
    const { alg, kid } = decodeProtectedHeader(text);
    return {
      text,
      alg: typeof alg === 'string' ? alg : '',
      kid: typeof kid === 'string' && kid !== '' ? kid : undefined,
      claims: decodeJwt(text),
    };
  } catch {
    throw new Refusal('MALFORMED_TOKEN');
  }
}

/**
 * Verifies the signature, then the claims. The endpoint of the signer is read again only for a
 * token with acceptable claims, since such a read costs more than any other check.
 */
async function verify(
  presented: PresentedToken,
  signer: JwtSigner,
  { clock, keys }: ExternalJwtContext,
): Promise<void> {
  const { kid, alg, claims } = presented;
  if (!ALGORITHMS.includes(alg)) throw new Refusal('ALGORITHM_NOT_ALLOWED');
  if (kid === undefined) throw new Refusal('MISSING_KEY_ID');
  const inClaims = claimsFault(claims, signer.audience, { now: clock(), leewayMs: keys.leewayMs });
  const key = await keyOf(signer, kid, keys);
  let inSignature = await signatureFault(presented, key);
  if (inSignature && !inClaims && signer.certPem === null) {
    const newerKey = await keys.findNewer(signer, kid, key);
    if (newerKey) inSignature = await signatureFault(presented, newerKey);
  }
  const fault = inSignature ?? inClaims ?? conditionFault(claims, signer);
  if (fault) throw new Refusal(fault);
}

const conditionFault = (claims: JWTPayload, { conditions }: JwtSigner): TokenFault | undefined =>
  conditions.every((condition) => meetsCondition(claims, condition))
    ? undefined
    : 'UNMET_CONDITION';

async function signatureFault(
  { text, alg }: PresentedToken,
  key: VerificationKey | undefined,
): Promise<TokenFault | undefined> {
  if (!key) return 'UNKNOWN_KEY_ID';
  if (key.alg !== undefined && key.alg !== alg) return 'ALGORITHM_NOT_ALLOWED';
  try {
    const { protectedHeader } = await compactVerify(text, key.key, { algorithms: ALGORITHMS });
    // RFC 7797 7: the payload of a JWT is always encoded.
    return protectedHeader.b64 === false ? 'WRONG_SIGNATURE' : undefined;
  } catch {
    return 'WRONG_SIGNATURE';
  }
}

type CertifiedKey = VerificationKey & { readonly kid: string };

/** Keys by the row of their signer, so that each certificate is parsed once. */
const certifiedKeys = new WeakMap<JwtSigner, CertifiedKey>();

function certifiedKey(signer: JwtSigner, certPem: string): CertifiedKey | undefined {
  const cachedKey = certifiedKeys.get(signer);
  if (cachedKey) return cachedKey;
  try {
    const [certificate] = parseCertificatePem(certPem);
    const key = { key: certificate.publicKey, kid: signer.kid ?? fingerprint(certificate) };
    certifiedKeys.set(signer, key);
    return key;
  } catch {
    return undefined;
  }
}

async function keyOf(
  signer: JwtSigner,
  kid: string,
  keys: SignerKeys,
): Promise<VerificationKey | undefined> {
  if (signer.certPem === null) return keys.find(signer, kid);
  const key = certifiedKey(signer, signer.certPem);
  return key?.kid === kid ? key : undefined;
}

function identityClaim({ claimsProperty }: JwtSigner, claims: JWTPayload): string {
  const claim = valueAtPointer(claims, claimsPointer(claimsProperty));
  if (typeof claim !== 'string' || claim === '') throw new Refusal('MISSING_CLAIM');
  return claim;
}
