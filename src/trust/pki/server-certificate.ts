import type { KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { StartError } from '../../base/start-error.js';
import type { Authority } from './authority.js';
import { toPem, type CertificateChain } from './certificate.js';
import { crossCertificates } from './cross-signing.js';
import { errorCode, privateKeyPem, type KeyDirectory } from './key-directory.js';
import { ownServer, type OwnServerWishes } from './own-server.js';
import type { ProvidedMaterial, ProvidedPair } from './provided-files.js';
import { rememberServer } from './server-history.js';
import { covers, serverNames } from './server-names.js';
import { trustedChain, usableAlgorithm } from './trusted-chain.js';

/** The certificate of the controller in TLS handshakes. */
export interface ServerCertificate {
  /** The chain from the leaf to its root. */
  readonly chain: CertificateChain;
  /** The issuers without the root, to send with the leaf. */
  readonly intermediates: readonly X509Certificate[];
  readonly privateKey: KeyObject;
}

/** Gives the configured server certificate, else that of the directory under the authority. */
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
  // It can be replaced without notice, so it is recorded while it exists.
  await rememberServer(directory, server.chain[0]);
  return server;
}

function providedServer(
  tls: ProvidedPair,
  pool: readonly X509Certificate[],
  { advertiseHost, now }: { readonly advertiseHost: string; readonly now: Date },
): ServerCertificate {
  const { privateKey, setting } = tls;
  const chain = trustedChain(tls.chain, pool, setting, now);
  usableAlgorithm(privateKey, 'OVERGRAPH_TLS_KEY');
  refuseUnsuited(chain[0], setting, advertiseHost);
  const root = chain.at(-1) ?? chain[0];
  const intermediates = [
    ...chain.slice(1, -1),
    ...crossCertificates(root, [...tls.chain, ...pool], now),
  ];
  refuseUnservable([chain[0], ...intermediates], privateKey, setting);
  return { chain, intermediates, privateKey };
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';

function refuseUnsuited(leaf: X509Certificate, setting: string, advertiseHost: string): void {
  if (!covers(leaf, serverNames([advertiseHost]))) {
    throw new StartError(
      `the certificate of ${setting} is not valid for the advertised host ${advertiseHost}`,
      'set OVERGRAPH_ADVERTISE to one of the names in the certificate',
    );
  }
  if (!isForServers(leaf)) {
    throw new StartError(
      `the certificate of ${setting} is not for servers`,
      'have it issued with the extended key usage serverAuth',
    );
  }
}

/** Without extended usages a certificate may serve any purpose (RFC 5280 4.2.1.12). */
const isForServers = ({ keyUsage: usages }: Partial<X509Certificate>): boolean =>
  usages === undefined || usages.includes(SERVER_AUTH) || usages.includes(ANY_USAGE);

/** OpenSSL has further limits, such as on weak signatures, which differ between versions. */
function refuseUnservable(
  chain: readonly X509Certificate[],
  privateKey: KeyObject,
  setting: string,
): void {
  try {
    createSecureContext({ cert: toPem(chain), key: privateKeyPem(privateKey) });
  } catch (error) {
    throw new StartError(
      `the certificate of ${setting} can not be served (${errorCode(error)})`,
      'have it issued with a stronger key or signature',
    );
  }
}
