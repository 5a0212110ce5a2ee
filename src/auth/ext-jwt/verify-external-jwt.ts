import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose';
import { isObject } from '../../base/row.js';
import { fingerprint, parseCertificatePem } from '../../pki/index.js';
import { claimsPointer } from '../rules/index.js';
import type { JwksKeys } from './jwks-keys.js';
import type { JwtSigner } from './jwt-signer.js';
import type { VerificationKey } from './verification-key.js';

/** Longest token in characters; tokens with many groups have some thousand. */
const MOST_CHARACTERS = 16 * 1024;
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

/** The fault of a token, for the log; it contains no part of the token. */
export type ExternalJwtFault =
  | 'absent'
  | 'malformed'
  | 'unknown issuer'
  | 'algorithm'
  | 'no key id'
  | 'unknown key'
  | 'signature'
  | 'audience'
  | 'not yet valid'
  | 'expired'
  | 'claims'
  | 'identity claim';

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
  readonly reason: ExternalJwtFault;
  /** The enabled signers, which a challenge names. */
  readonly candidates: readonly S[];
}

export interface ExternalJwtContext {
  readonly clock: () => Date;
  readonly keys: Pick<JwksKeys, 'find'>;
}

class Refusal extends Error {
  constructor(
    readonly error: keyof typeof DESCRIPTIONS,
    readonly reason: ExternalJwtFault,
  ) {
    super(reason);
  }
}

const missing = (reason: ExternalJwtFault): Refusal => new Refusal('missing', reason);
const invalid = (reason: ExternalJwtFault): Refusal => new Refusal('invalid', reason);

/**
 * Checks a JWT of an external signer: the signer by `iss`, the signature, the audience (`aud`) and
 * the times (`exp`, which is required, and `nbf`). An invalid token is a result, not an exception.
 */
export async function verifyExternalJwt<S extends JwtSigner>(
  token: string | undefined,
  signers: readonly S[],
  { clock, keys }: ExternalJwtContext,
): Promise<VerifiedExternalJwt<S> | ExternalJwtFailure<S>> {
  const candidates = signers.filter(({ enabled }) => enabled);
  try {
    const { alg, kid, issuer } = readUnverified(token);
    const signer = candidates.find((candidate) => candidate.issuer === issuer);
    if (!signer) throw missing('unknown issuer');
    if (!ALGORITHMS.includes(alg)) throw invalid('algorithm');
    if (kid === undefined) throw invalid('no key id');
    const key = await keyOf(signer, kid, keys);
    if (!key) throw invalid('unknown key');
    if (key.alg !== undefined && key.alg !== alg) throw invalid('algorithm');
    const claims = await verify(token ?? '', key, signer, clock());
    return { ok: true, signer, claim: identityClaim(signer, claims), claims };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    const { error, reason } = fault;
    return { ok: false, error, description: DESCRIPTIONS[error], reason, candidates };
  }
}

interface Unverified {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly issuer: unknown;
}

function readUnverified(token: string | undefined): Unverified {
  if (token === undefined || token === '') throw missing('absent');
  if (token.length > MOST_CHARACTERS || !COMPACT_JWS.test(token)) throw missing('malformed');
  try {
    const { alg, kid } = decodeProtectedHeader(token);
    return {
      alg: typeof alg === 'string' ? alg : '',
      kid: typeof kid === 'string' && kid !== '' ? kid : undefined,
      issuer: decodeJwt(token).iss,
    };
  } catch {
    throw missing('malformed');
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
  keys: Pick<JwksKeys, 'find'>,
): Promise<VerificationKey | undefined> {
  if (signer.certPem !== null) {
    const key = certifiedKey(signer, signer.certPem);
    return key?.kid === kid ? key : undefined;
  }
  return signer.jwksEndpoint === null ? undefined : keys.find(signer.jwksEndpoint, kid);
}

async function verify(
  token: string,
  { key }: VerificationKey,
  { issuer, audience }: JwtSigner,
  now: Date,
): Promise<JWTPayload> {
  if (audience === null || audience === '') throw invalid('audience');
  try {
    const options = { algorithms: ALGORITHMS, issuer, audience, currentDate: now };
    return (await jwtVerify(token, key, { ...options, requiredClaims: ['exp'] })).payload;
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Converts an error of the library; any error that is not about claims is a wrong signature. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof errors.JWTExpired) return new Refusal('expired', 'expired');
  if (!(error instanceof errors.JWTClaimValidationFailed)) return invalid('signature');
  if (error.claim === 'aud') return invalid('audience');
  const isEarly = error.claim === 'nbf' && error.reason === 'check_failed';
  return invalid(isEarly ? 'not yet valid' : 'claims');
}

function identityClaim({ claimsProperty }: JwtSigner, claims: JWTPayload): string {
  const claim = valueAt(claims, claimsPointer(claimsProperty));
  if (typeof claim !== 'string' || claim === '') throw invalid('identity claim');
  return claim;
}

/** RFC 6901 4 */
const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (value, step) =>
        (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, step)
          ? (value as Record<string, unknown>)[step]
          : undefined,
      document,
    );
