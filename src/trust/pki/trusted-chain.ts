import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { certificateContents } from './certificate-contents.js';
import { chainToRoot } from './certificate-chain.js';
import {
  fingerprint,
  isCurrent,
  notAfter,
  notBefore,
  type CertificateChain,
} from './certificate.js';
import { signingAlgorithm, type SigningAlgorithm } from './signing-algorithm.js';

/**
 * Gives the chain from the first certificate up to a root: all members are valid at `now`, and the
 * chain exceeds no limit on the authorities below a member (RFC 5280 4.2.1.9).
 */
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
  // A CA at the start of the chain is itself an intermediate for the certificates below it.
  const below = chain[0].ca ? 0 : 1;
  const strict = chain.find(
    (certificate, depth) => depth - below > (certificateContents(certificate)?.pathLimit ?? depth),
  );
  if (strict) {
    throw new StartError(
      `certificate ${fingerprint(strict)} in the chain of ${origin} does not allow so many ` +
        'authorities below it (path length)',
      'have it issued with a greater path length, or use an authority above it',
    );
  }
  return chain;
}

/** Gives the algorithm of a key; refuses a key whose signatures clients can not check. */
export function usableAlgorithm(key: KeyObject, setting: string): SigningAlgorithm {
  const algorithm = signingAlgorithm(key);
  if (algorithm) return algorithm;
  throw new StartError(
    `the private key of ${setting} is of a kind that clients can not check`,
    'use an EC key on P-256, P-384 or P-521, or an RSA key of 2048 bits or more',
  );
}
