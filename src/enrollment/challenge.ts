import { sign, type X509Certificate } from 'node:crypto';
import { invalidField } from '../base/errors.js';
import { fingerprint, signingAlgorithm, type KeyMaterial } from '../pki/index.js';

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
  const { privateKey, algorithm } = keys.server;
  const asked = tokenCertificates(keys).find((certificate) => fingerprint(certificate) === keyId);
  if (!asked) throw invalidField('keyId', 'no key has this id', keyId);
  if (!asked.checkPrivateKey(privateKey)) {
    throw invalidField('keyId', 'the key with this id was replaced', keyId);
  }
  return {
    algorithm: algorithm.jws,
    caPool: keys.caBundlePem,
    kid: keyId,
    signature: sign(algorithm.digest, Buffer.from(nonce), privateKey).toString('base64'),
  };
}

/**
 * The public keys that sign enrollment tokens, as a JSON Web Key Set. A key is listed once for each
 * certificate that it had, because tokens name the certificate.
 */
export const signingKeySet = (keys: KeyMaterial): { readonly keys: readonly object[] } => ({
  keys: tokenCertificates(keys).map((certificate) => ({
    ...certificate.publicKey.export({ format: 'jwk' }),
    kid: fingerprint(certificate),
    alg: signingAlgorithm(certificate.publicKey)?.jws,
    use: 'sig',
    x5c: [certificate.raw.toString('base64')],
  })),
});

const tokenCertificates = ({ server }: KeyMaterial): readonly X509Certificate[] => [
  server.leaf,
  ...server.formerLeaves,
];
