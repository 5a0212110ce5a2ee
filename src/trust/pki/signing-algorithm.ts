import { sign, type KeyObject } from 'node:crypto';

/** JWS name of an algorithm (RFC 7518 3.1) and the digest it uses, by its node:crypto name. */
export interface SigningAlgorithm {
  readonly jws: 'ES256' | 'ES384' | 'ES512' | 'RS256';
  readonly digest: 'sha256' | 'sha384' | 'sha512';
  /** Curve of an EC key, by its JWK name; undefined for RSA. */
  readonly curve?: 'P-256' | 'P-384' | 'P-521';
}

const BY_CURVE: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: { jws: 'ES256', digest: 'sha256', curve: 'P-256' },
  secp384r1: { jws: 'ES384', digest: 'sha384', curve: 'P-384' },
  secp521r1: { jws: 'ES512', digest: 'sha512', curve: 'P-521' },
};
const RSA: SigningAlgorithm = { jws: 'RS256', digest: 'sha256' };
/** The names of all algorithms that a key can have. */
export const JWS_ALGORITHMS = [...Object.values(BY_CURVE), RSA].map(({ jws }) => jws);
/** RFC 7518 3.3 */
const MIN_RSA_BITS = 2048;

/** Gives the algorithm that a key signs with; undefined for keys that clients can not check. */
export function signingAlgorithm(key: KeyObject): SigningAlgorithm | undefined {
  const { namedCurve, modulusLength } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'rsa') {
    return (modulusLength ?? 0) >= MIN_RSA_BITS ? RSA : undefined;
  }
  return key.asymmetricKeyType === 'ec' ? BY_CURVE[namedCurve ?? ''] : undefined;
}

/** A signer of tokens: `kid` is the SHA-1 fingerprint of the key's certificate. */
export interface JwtSigner {
  readonly privateKey: KeyObject;
  readonly algorithm: SigningAlgorithm;
  readonly kid: string;
}

/** Gives a compact JWS (RFC 7515 7.1) over the claims, which stay unchanged. */
export function signJwt(signer: JwtSigner, claims: Readonly<Record<string, unknown>>): string {
  const header = { alg: signer.algorithm.jws, kid: signer.kid, typ: 'JWT' };
  const input = `${encoded(header)}.${encoded(claims)}`;
  const signature = sign(signer.algorithm.digest, Buffer.from(input), {
    key: signer.privateKey,
    // RFC 7518 3.4: R and S side by side. Without effect on RSA keys.
    dsaEncoding: 'ieee-p1363',
  });
  return `${input}.${signature.toString('base64url')}`;
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
