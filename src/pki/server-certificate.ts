import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../store/start-error.js';
import type { Authority } from './authority.js';
import type { CertificateChain } from './certificate.js';
import { crossCertificates } from './cross-signing.js';
import type { KeyDirectory } from './key-directory.js';
import { ownServer, type OwnServerWishes } from './own-server.js';
import type { ProvidedMaterial, ProvidedPair } from './provided-files.js';
import { rememberServer } from './server-history.js';
import { covers, serverNames } from './server-names.js';
import { trustedChain } from './trusted-chain.js';

/** What the controller shows in TLS handshakes. */
export interface ServerCertificate {
  /** From the leaf to its root. */
  readonly chain: CertificateChain;
  /** Sent along with the leaf: its issuers without the root. */
  readonly intermediates: readonly X509Certificate[];
  readonly privateKey: KeyObject;
}

/** The configured server certificate, else that of the directory under the authority. */
export async function resolveServer(
  directory: KeyDirectory,
  authority: Authority,
  { tls, caBundle }: ProvidedMaterial,
  wishes: OwnServerWishes & { readonly advertiseHost: string },
): Promise<ServerCertificate> {
  if (!tls) {
    const { cert, privateKey } = await ownServer(directory, authority.signer, wishes);
    const { chain, intermediates } = authority;
    return { chain: [cert, ...chain], intermediates, privateKey };
  }
  const server = providedServer(tls, [...authority.chain, ...(caBundle ?? [])], wishes);
  // It will be replaced without asking us, so it is noted while it is there.
  await rememberServer(directory, server.chain[0]);
  return server;
}

function providedServer(
  tls: ProvidedPair,
  pool: readonly X509Certificate[],
  { advertiseHost, now }: { readonly advertiseHost: string; readonly now: Date },
): ServerCertificate {
  const chain = trustedChain(tls.chain, pool, tls.setting, now);
  if (!covers(chain[0], serverNames([advertiseHost]))) {
    throw new StartError(
      `the certificate of ${tls.setting} is not valid for the advertised host ${advertiseHost}`,
      'set OVERGRAPH_ADVERTISE to one of the names in the certificate',
    );
  }
  const root = chain.at(-1) ?? chain[0];
  const intermediates = [
    ...chain.slice(1, -1),
    ...crossCertificates(root, [...tls.chain, ...pool], now),
  ];
  return { chain, intermediates, privateKey: tls.privateKey };
}
