import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { resolveAuthority, type Authority } from './authority.js';
import { RECORD_FILE } from './authority-record.js';
import { distinct, fingerprint, toPem } from './certificate.js';
import type { CertificateIssuer } from './issue-certificate.js';
import { openKeyDirectory, privateKeyPem, type KeyDirectory } from './key-directory.js';
import {
  readProvidedFiles,
  type KeyMaterialFiles,
  type ProvidedMaterial,
} from './provided-files.js';
import { keyCheckOf } from './sealed-secret.js';
import { loadSecretKey } from './secret-key.js';
import { resolveServer, type ServerCertificate } from './server-certificate.js';
import { readServerHistory } from './server-history.js';
import { LOCAL_NAMES, serverNames, trustDomainName } from './server-names.js';
import type { SigningAlgorithm } from './signing-algorithm.js';
import { usableAlgorithm } from './trusted-chain.js';

export interface KeyMaterialOptions {
  /** The folder of the generated files, created when missing. */
  readonly directory: string;
  /** The host name or address, without port, that clients connect to. */
  readonly advertiseHost: string;
  /** Further names for the server certificate, e.g. the listening address. Local names are added. */
  readonly hosts?: readonly string[];
  /** The SPIFFE trust domain; by default the fingerprint of the first root, across rollovers. */
  readonly trustDomain?: string | undefined;
  readonly files?: KeyMaterialFiles | undefined;
  /** 32 bytes in base64, or the path of a file with 32 bytes, plain or in base64. */
  readonly secretKey?: string | undefined;
  /** Accepts key files that others can read, which are otherwise refused. */
  readonly allowOpenKeyFiles?: boolean;
  /** Creates nothing where all files are missing: a running controller has then lost its files. */
  readonly isInUse?: boolean;
  readonly clock: () => Date;
}

/** All keys and certificates of a controller. */
export interface KeyMaterial {
  /** The root of the signer, which identifies the network. */
  readonly root: X509Certificate;
  /** The CA that signs the certificates of identities and routers. */
  readonly signer: CertificateIssuer;
  /** The issuers, without the root, to send with the certificates of the signer. */
  readonly intermediates: readonly X509Certificate[];
  readonly server: {
    readonly leaf: X509Certificate;
    readonly privateKey: KeyObject;
    readonly algorithm: SigningAlgorithm;
    /** Leaf and intermediates without the root, ready for `tls.createServer`. */
    readonly certificateChainPem: string;
    readonly privateKeyPem: string;
    /** Earlier values of `leaf`, newest first: outstanding tokens name one of these. */
    readonly formerLeaves: readonly X509Certificate[];
  };
  /** All CAs that clients must trust, each once, the root first. */
  readonly authorities: readonly X509Certificate[];
  /** Signers of this network that have lost its trust, because their rollover is finished. */
  readonly endedSigners: readonly X509Certificate[];
  /** `authorities` as PEM. */
  readonly caBundlePem: string;
  readonly trustDomain: string;
  /** 32 bytes, for `sealSecret` and `openSecret`. */
  readonly secretKey: Buffer;
  /** Lower-case hex SHA-1 of the root. */
  readonly rootFingerprint: string;
  /** The fingerprints of earlier roots that vouched for this one, the nearest first. */
  readonly predecessors: readonly string[];
  /** That of the root with which the network began: new roots do not change it. */
  readonly firstRoot: string;
  /** Hex HMAC of a fixed text under the secret key: lets a database notice a wrong key. */
  readonly keyCheck: string;
}

/**
 * Creates the key material on first use and loads it later; configured files replace generated ones.
 * A mismatch is a `StartError` that names the file or setting to change.
 */
export async function loadKeyMaterial(options: KeyMaterialOptions): Promise<KeyMaterial> {
  const { advertiseHost } = options;
  const now = options.clock();
  const names = serverNames([advertiseHost, ...(options.hosts ?? []), ...LOCAL_NAMES]);
  const givenTrustDomain = options.trustDomain && trustDomainName(options.trustDomain);
  const rule = { allowOpen: options.allowOpenKeyFiles ?? false };
  const provided = await readProvidedFiles(options.files ?? {}, rule);
  const directory = await openKeyDirectory(options.directory, rule);
  const needsDirectory = !provided.tls || !provided.signer;
  if (options.isInUse === true && needsDirectory) await refuseUnused(directory);
  const secretKey = await loadSecretKey(directory, options.secretKey, rule, () =>
    isUnused(directory),
  );
  const authority = await resolveAuthority(directory, provided, now);
  const rootFingerprint = fingerprint(authority.root);
  // A new root must not change the name of the network.
  const firstRoot = authority.predecessors.at(-1) ?? rootFingerprint;
  const trustDomain = givenTrustDomain ? givenTrustDomain : firstRoot;
  const wishes = { advertiseHost, names, trustDomain, now };
  const server = await resolveServer(directory, authority, provided, wishes);
  const history = await readServerHistory(directory);
  const authorities = trustedAuthorities(authority, server, provided);
  return {
    root: authority.root,
    signer: authority.signer,
    intermediates: authority.intermediates,
    server: shown(server, history),
    authorities,
    endedSigners: authority.ended,
    caBundlePem: toPem(authorities),
    trustDomain,
    secretKey,
    rootFingerprint,
    predecessors: authority.predecessors,
    firstRoot,
    keyCheck: keyCheckOf(secretKey),
  };
}

const trustedAuthorities = (
  { root, chain, retired }: Authority,
  server: ServerCertificate,
  { caBundle }: ProvidedMaterial,
): X509Certificate[] =>
  distinct([root, ...chain, ...retired, ...server.chain, ...(caBundle ?? [])]).filter(
    (certificate) => certificate.ca,
  );

function shown(
  { chain, intermediates, privateKey }: ServerCertificate,
  history: readonly X509Certificate[],
): KeyMaterial['server'] {
  const leaf = chain[0];
  return {
    leaf,
    privateKey,
    algorithm: usableAlgorithm(privateKey, 'OVERGRAPH_TLS_KEY'),
    certificateChainPem: toPem([leaf, ...intermediates]),
    privateKeyPem: privateKeyPem(privateKey),
    formerLeaves: history.filter(({ raw }) => !raw.equals(leaf.raw)),
  };
}

/** Whether all certificates and keys that clients and tokens depend on are equal. */
export const sameKeyMaterial = (one: KeyMaterial, other: KeyMaterial): boolean =>
  visible(one).join() === visible(other).join();

const visible = (material: KeyMaterial): readonly string[] => [
  material.keyCheck,
  material.trustDomain,
  material.rootFingerprint,
  material.signer.cert.fingerprint256,
  material.caBundlePem,
  material.server.certificateChainPem,
  ...material.endedSigners.map(({ fingerprint256 }) => fingerprint256),
  ...material.intermediates.map(({ fingerprint256 }) => fingerprint256),
  ...material.server.formerLeaves.map(({ fingerprint256 }) => fingerprint256),
];

async function isUnused(directory: KeyDirectory): Promise<boolean> {
  const names = ['root.key', 'server.key', RECORD_FILE];
  const files = await Promise.all(names.map((name) => directory.read(name)));
  return files.every((content) => content === undefined);
}

async function refuseUnused(directory: KeyDirectory): Promise<void> {
  if (!(await isUnused(directory))) return;
  throw new StartError(`${directory.pathOf('')} is empty`, 'restore it from a backup');
}
