import type { X509Certificate } from 'node:crypto';
import { StartError } from '../store/start-error.js';
import type { CertificateChain } from './certificate.js';
import type { CertificateIssuer } from './issue-certificate.js';
import type { KeyDirectory } from './key-directory.js';
import { ownAuthority } from './own-certificates.js';
import type { ProvidedMaterial } from './provided-files.js';
import { trustedChain, usableAlgorithm } from './trusted-chain.js';

/** Who certifies identities, routers and, unless it is configured, the server. */
export interface Authority {
  readonly root: X509Certificate;
  readonly signer: CertificateIssuer;
  /** From the signer to the root. */
  readonly chain: CertificateChain;
}

/** The configured signer, else that of the directory. */
export async function resolveAuthority(
  directory: KeyDirectory,
  provided: ProvidedMaterial,
  now: Date,
): Promise<Authority> {
  if (!provided.signer) {
    const { root, signer } = await ownAuthority(directory, now);
    return {
      root,
      signer,
      chain: trustedChain([signer.cert, root], [], directory.pathOf(''), now),
    };
  }
  const { chain: given, privateKey, setting } = provided.signer;
  if (!given[0].ca) {
    throw new StartError(
      `the certificate of ${setting} is not a CA`,
      `point ${setting} at a CA certificate that may sign certificates`,
    );
  }
  usableAlgorithm(privateKey, 'OVERGRAPH_SIGNER_KEY');
  const chain = trustedChain(given, provided.caBundle ?? [], setting, now);
  return { root: chain.at(-1) ?? given[0], signer: { cert: given[0], privateKey }, chain };
}
