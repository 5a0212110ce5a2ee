import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { JwtSigner } from '../../../../src/trust/auth/ext-jwt/index.js';

export const NOW = new Date('2026-11-20T12:00:00Z');
export const NOW_S = NOW.getTime() / 1000;

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export const ecPair = (namedCurve: string): KeyPair => generateKeyPairSync('ec', { namedCurve });
export const rsaPair = (modulusLength = 2048): KeyPair =>
  generateKeyPairSync('rsa', { modulusLength });
export const ed25519Pair = (): KeyPair => generateKeyPairSync('ed25519');

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A signature as RFC 7518 3 and RFC 8037 3.1 describe it, whether or not the key fits. */
function signatureOf(alg: string, input: string, key: KeyObject): Buffer {
  const data = Buffer.from(input);
  if (alg.startsWith('Ed')) return sign(null, data, key);
  const padding = alg.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return sign(`sha${alg.slice(2)}`, data, { key, dsaEncoding: 'ieee-p1363', ...padding });
}

/** A compact JWS; the header may claim what it likes, `signedAs` is what is done. */
export function makeToken(
  header: { readonly alg: string; readonly [name: string]: unknown },
  claims: unknown,
  key: KeyObject,
  signedAs = header.alg,
): string {
  const input = `${encode(header)}.${encode(claims)}`;
  return `${input}.${signatureOf(signedAs, input, key).toString('base64url')}`;
}

/** A public key as a member of a key set. */
export const jwkOf = (
  kid: string,
  { publicKey }: KeyPair,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({ ...publicKey.export({ format: 'jwk' }), kid, ...more });

export const signer: JwtSigner = {
  id: 's1',
  revision: 1,
  createdAt: new Date('2026-11-01T00:00:00Z'),
  issuer: 'https://idp.example.com',
  audience: 'overgraph',
  enabled: true,
  certPem: null,
  kid: null,
  jwksEndpoint: 'https://idp.example.com/keys',
  claimsProperty: '/sub',
  useExternalId: false,
  conditions: [],
};

export const claims = {
  iss: signer.issuer,
  aud: signer.audience,
  sub: 'identity-1',
  exp: NOW_S + 60,
};
