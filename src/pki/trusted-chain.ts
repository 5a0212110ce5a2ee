import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../store/start-error.js';
import { chainToRoot } from './certificate-chain.js';
import {
  fingerprint,
  isCurrent,
  notAfter,
  notBefore,
  type CertificateChain,
} from './certificate.js';
import { signingAlgorithm, type SigningAlgorithm } from './signing-algorithm.js';

/** The chain of the first certificate up to a root, every member valid at `now`. */
export function trustedChain(
  given: CertificateChain,
  pool: readonly X509Certificate[],
  origin: string,
  now: Date,
): CertificateChain {
  const chain = chainToRoot(given[0], [...given.slice(1), ...pool], now);
  if (!chain) {
    throw new StartError(
      `no self-signed CA anchors the certificate of ${origin}`,
      'put the missing issuers, up to the root, into the file of OVERGRAPH_CA_BUNDLE',
    );
  }
  const outdated = chain.find((certificate) => !isCurrent(certificate, now));
  if (outdated) {
    throw new StartError(
      `certificate ${fingerprint(outdated)} in the chain of ${origin} is not valid now, but from ` +
        `${notBefore(outdated).toISOString()} to ${notAfter(outdated).toISOString()}`,
      'replace it by a valid one, or correct the clock of this machine',
    );
  }
  return chain;
}

/** The algorithm of a key; refused unless clients can check what it signs. */
export function usableAlgorithm(key: KeyObject, setting: string): SigningAlgorithm {
  const algorithm = signingAlgorithm(key);
  if (algorithm) return algorithm;
  throw new StartError(
    `the private key of ${setting} is of a kind that clients can not check`,
    'use an EC key on P-256, P-384 or P-521, or an RSA key of 2048 bits or more',
  );
}
