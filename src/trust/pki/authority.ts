import type { X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { fingerprint, isCurrent, type CertificateChain } from './certificate.js';
import { crossCertificates, predecessorsOf } from './cross-signing.js';
import type { CertificateIssuer } from './issue-certificate.js';
import type { KeyDirectory } from './key-directory.js';
import { ownAuthority } from './own-authority.js';
import type { ProvidedMaterial, ProvidedPair } from './provided-files.js';
import { trustedChain, usableAlgorithm } from './trusted-chain.js';

/** The authority for identities, routers and, unless it is configured, the server. */
export interface Authority {
  readonly root: X509Certificate;
  readonly signer: CertificateIssuer;
  /** The chain from the signer to the root. */
  readonly chain: CertificateChain;
  /** Issuers to send with the certificates of the signer. */
  readonly intermediates: readonly X509Certificate[];
  /** Additional trusted certificates, during a rollover. */
  readonly retired: readonly X509Certificate[];
  /** Certificates to refuse, even under a trusted root. */
  readonly ended: readonly X509Certificate[];
  /** Fingerprints of earlier roots that vouched for this one, the nearest first. */
  readonly predecessors: readonly string[];
}

/** Gives the configured signer, else the one of the directory. */
export const resolveAuthority = (
  directory: KeyDirectory,
  { signer, caBundle }: ProvidedMaterial,
  now: Date,
): Promise<Authority> | Authority =>
  signer ? providedAuthority(signer, caBundle ?? [], now) : generatedAuthority(directory, now);

async function generatedAuthority(directory: KeyDirectory, now: Date): Promise<Authority> {
  const generated = await ownAuthority(directory, now);
  const root = generated.root.cert;
  const chain = trustedChain([generated.signer.cert, root], [], directory.pathOf(''), now);
  const isValid = (certificate: X509Certificate): boolean => isCurrent(certificate, now);
  return {
    root,
    signer: generated.signer,
    chain,
    intermediates: [...withoutRoot(chain), ...generated.crossSigned.filter(isValid)],
    // An expired one must not prevent the start.
    retired: generated.retired.filter(isValid),
    ended: generated.ended,
    predecessors: predecessorsOf(root, generated.ancestry).map(fingerprint),
  };
}

function providedAuthority(
  { chain: given, privateKey, setting }: ProvidedPair,
  caBundle: readonly X509Certificate[],
  now: Date,
): Authority {
  if (!given[0].ca) {
    throw new StartError(
      `the certificate of ${setting} is not a CA, or its key usage lacks the signing of certificates`,
      `point ${setting} at a CA certificate that may sign certificates`,
    );
  }
  usableAlgorithm(privateKey, 'OVERGRAPH_SIGNER_KEY');
  const chain = trustedChain(given, caBundle, setting, now);
  const root = chain.at(-1) ?? given[0];
  const pool = [...given, ...caBundle];
  return {
    root,
    signer: { cert: given[0], privateKey },
    chain,
    intermediates: [...withoutRoot(chain), ...crossCertificates(root, pool, now)],
    retired: [],
    ended: [],
    predecessors: predecessorsOf(root, pool).map(fingerprint),
  };
}

/** Clients already have the root, so sending it only costs bytes. */
const withoutRoot = (chain: CertificateChain): readonly X509Certificate[] => chain.slice(0, -1);
