import { createPublicKey, X509Certificate, type JsonWebKey, type KeyObject } from 'node:crypto';
import { parseJson } from '../../../base/json-text.js';
import { isBoundedKey } from '../../pki/index.js';
import { isObject } from '../../../base/row.js';

/** A public key for the verification of tokens. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** The only algorithm of the key, if its owner names one. */
  readonly alg?: string;
}

/** Whether both verify the same tokens. */
export const isSameKey = (a: VerificationKey, b: VerificationKey): boolean =>
  a.alg === b.alg && a.key.equals(b.key);

/** The members of a JWK that are read; others, such as those of private keys, are ignored. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'n', 'e', 'x', 'y'];
/** Number of keys that are read; a usual key set has a few. */
const MAX_KEYS = 256;

/**
 * Parses the usable keys of a JSON Web Key Set (RFC 7517 5) by key id; undefined if the text is not
 * a key set. It leaves out keys without id, keys that are not for signatures, and keys of unknown
 * kinds. The first key of an id counts.
 */
export function parseKeySet(text: string): ReadonlyMap<string, VerificationKey> | undefined {
  const set = readJson(text);
  if (!isObject(set) || !Array.isArray(set.keys)) return undefined;
  const keys = new Map<string, VerificationKey>();
  for (const jwk of set.keys.slice(0, MAX_KEYS) as unknown[]) {
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

/** Reads the key, from the certificate if there is one; both have the same key (RFC 7517 4.7). */
function publicKeyOf(jwk: Record<string, unknown>): KeyObject | undefined {
  const chain: unknown = jwk.x5c;
  const first: unknown = Array.isArray(chain) ? chain[0] : undefined;
  const certificateKey = typeof first === 'string' ? keyOfCertificate(first) : undefined;
  const key = certificateKey ?? keyOfMembers(jwk);
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
