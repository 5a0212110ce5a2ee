import { createPublicKey, sign } from 'node:crypto';
import { invalidField } from '../kernel/errors.js';
import { fingerprint, type KeyMaterial } from '../pki/index.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The answer to a challenge. */
export interface SignedNonce {
  /** By its JWS name, e.g. `ES256`. */
  readonly algorithm: string;
  /** The authorities to trust, as PEM. */
  readonly caPool: string;
  /** As asked for. */
  readonly kid: string;
  /** Of the UTF-8 bytes of the nonce as received; DER, in standard base64. */
  readonly signature: string;
}

/** Proves that this controller holds the key that signs enrollment tokens. */
export function signNonce(keys: KeyMaterial, keyId: string, nonce: string): SignedNonce {
  if (!UUID.test(nonce)) throw invalidField('nonce', 'nonce in body must be of type uuid', nonce);
  const { leaf, privateKey, algorithm } = keys.server;
  if (keyId !== fingerprint(leaf)) throw invalidField('keyId', 'no key has this id', keyId);
  return {
    algorithm: algorithm.jws,
    caPool: keys.caBundlePem,
    kid: keyId,
    signature: sign(algorithm.digest, Buffer.from(nonce), privateKey).toString('base64'),
  };
}

/** The public keys that sign enrollment tokens, as a JSON Web Key Set. */
export function signingKeySet(keys: KeyMaterial): { readonly keys: readonly object[] } {
  const { leaf, privateKey, algorithm } = keys.server;
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  const x5c = [leaf.raw.toString('base64')];
  return { keys: [{ ...jwk, kid: fingerprint(leaf), alg: algorithm.jws, use: 'sig', x5c }] };
}
