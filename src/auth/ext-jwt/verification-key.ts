import { createPublicKey, X509Certificate, type JsonWebKey, type KeyObject } from 'node:crypto';
import { parseJson } from '../../base/json-text.js';
import { isBoundedKey } from '../../pki/index.js';
import { isObject } from '../../base/row.js';

/** A public key that tokens are checked with. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** The one algorithm the key is meant for, where its owner says so. */
  readonly alg?: string;
}

/** Members of a JWK beyond these (of private keys above all) are not looked at. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'n', 'e', 'x', 'y'];
/** A key set has a handful of keys; what is beyond this is not read. */
const MOST_KEYS = 256;

/**
 * The usable keys of a JSON Web Key Set (RFC 7517 5) by key id, undefined when the text is none.
 * Left out are keys without id, keys that are not for signatures, and keys of unknown kinds.
 * Of several with one id the first counts.
 */
export function parseKeySet(text: string): ReadonlyMap<string, VerificationKey> | undefined {
  const set = readJson(text);
  if (!isObject(set) || !Array.isArray(set.keys)) return undefined;
  const keys = new Map<string, VerificationKey>();
  for (const jwk of set.keys.slice(0, MOST_KEYS) as unknown[]) {
    if (!isObject(jwk) || typeof jwk.kid !== 'string' || keys.has(jwk.kid)) continue;
    const key = isForSignatures(jwk) ? publicKeyOf(jwk) : undefined;
    if (key) keys.set(jwk.kid, typeof jwk.alg === 'string' ? { key, alg: jwk.alg } : { key });
  }
  return keys;
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** RFC 7517 4.2, 4.3: both members are optional. */
const isForSignatures = ({ use, key_ops: operations }: Record<string, unknown>): boolean =>
  (use === undefined || use === 'sig') &&
  (operations === undefined || (Array.isArray(operations) && operations.includes('verify')));

/** The certificate is preferred; both carry the same key (RFC 7517 4.7). */
function publicKeyOf(jwk: Record<string, unknown>): KeyObject | undefined {
  const chain: unknown = jwk.x5c;
  const first: unknown = Array.isArray(chain) ? chain[0] : undefined;
  const certified = typeof first === 'string' ? keyOfCertificate(first) : undefined;
  const key = certified ?? keyOfMembers(jwk);
  return key && isBoundedKey(key.export({ type: 'spki', format: 'der' })) ? key : undefined;
}

function keyOfCertificate(base64: string): KeyObject | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, 'base64')).publicKey;
  } catch {
    return undefined;
  }
}

function keyOfMembers(jwk: Record<string, unknown>): KeyObject | undefined {
  const members = PUBLIC_MEMBERS.map((name): [string, unknown] => [name, jwk[name]]);
  const key: JsonWebKey = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  try {
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}
