import { sign, type X509Certificate } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import { fingerprint, signingAlgorithm, type KeyMaterial } from '../pki/index.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The answer to a challenge. */
export interface SignedNonce {
  /** The JWS name of the algorithm, e.g. `ES256`. */
  readonly algorithm: string;
  /** The authorities to trust, as PEM. */
  readonly caPool: string;
  /** The requested key id. */
  readonly kid: string;
  /** The signature of the UTF-8 bytes of the nonce as received; DER, in standard base64. */
  readonly signature: string;
}

/** Proves that this controller has the key that signs enrollment tokens. */
export function signNonce(keys: KeyMaterial, keyId: string, nonce: string): SignedNonce {
  if (!UUID.test(nonce)) throw invalidField('nonce', 'nonce in body must be of type uuid', nonce);
  const { privateKey, algorithm } = keys.server;
  const tokenCertificate = tokenCertificates(keys).find(
    (certificate) => fingerprint(certificate) === keyId,
  );
  if (!tokenCertificate) throw invalidField('keyId', 'no key has this id', keyId);
  if (!tokenCertificate.checkPrivateKey(privateKey)) {
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
 * Gives the public keys that sign enrollment tokens, as a JSON Web Key Set. A key is listed once for
 * each of its certificates, because tokens name the certificate.
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
