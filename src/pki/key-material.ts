import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../store/start-error.js';
import { chainToRoot } from './certificate-chain.js';
import {
  distinct,
  fingerprint,
  isCurrent,
  notAfter,
  notBefore,
  toPem,
  type CertificateChain,
} from './certificate.js';
import type { CertificateIssuer } from './issue-certificate.js';
import { openKeyDirectory, privateKeyPem, type KeyDirectory } from './key-directory.js';
import { ownAuthority, ownServer, type OwnServerWishes } from './own-certificates.js';
import {
  readProvidedFiles,
  type KeyMaterialFiles,
  type ProvidedMaterial,
  type ProvidedPair,
} from './provided-files.js';
import { keyCheckOf } from './sealed-secret.js';
import { loadSecretKey } from './secret-key.js';
import { covers, LOCAL_NAMES, serverNames, trustDomainName } from './server-names.js';
import { signingAlgorithm, type SigningAlgorithm } from './signing-algorithm.js';

export interface KeyMaterialOptions {
  /** Folder of the generated files, made when missing. */
  readonly directory: string;
  /** Host name or address, without port, that clients are told to connect to. */
  readonly advertiseHost: string;
  /** Further names for the server certificate, e.g. the address listened on. Local names are added. */
  readonly hosts?: readonly string[];
  /** SPIFFE trust domain; without it, the fingerprint of the root. */
  readonly trustDomain?: string | undefined;
  readonly files?: KeyMaterialFiles | undefined;
  /** 32 bytes in base64, or the path of a file with 32 bytes, plain or in base64. */
  readonly secretKey?: string | undefined;
  /** Takes key files that others can read, which are refused otherwise. */
  readonly allowOpenKeyFiles?: boolean;
  readonly clock: () => Date;
}

/** Everything that a controller proves itself with. */
export interface KeyMaterial {
  /** Root of the signer: what the network is recognised by. */
  readonly root: X509Certificate;
  /** CA that signs the certificates of identities and routers. */
  readonly signer: CertificateIssuer;
  readonly server: {
    readonly leaf: X509Certificate;
    readonly privateKey: KeyObject;
    readonly algorithm: SigningAlgorithm;
    /** Leaf and intermediates without the root, ready for `tls.createServer`. */
    readonly certificateChainPem: string;
    readonly privateKeyPem: string;
  };
  /** Every CA that clients shall trust, each once, the root first. */
  readonly authorities: readonly X509Certificate[];
  /** `authorities` as PEM. */
  readonly caBundlePem: string;
  readonly trustDomain: string;
  /** 32 bytes, for `sealSecret` and `openSecret`. */
  readonly secretKey: Buffer;
  /** Lower-case hex SHA-1 of the root. */
  readonly rootFingerprint: string;
  /** Hex HMAC of a fixed text under the secret key: lets a database notice a wrong key. */
  readonly keyCheck: string;
}

/**
 * Makes the key material on first use and loads it later; configured files replace the generated ones.
 * Whatever does not fit together is a `StartError` that names the file or setting to change.
 */
export async function loadKeyMaterial(options: KeyMaterialOptions): Promise<KeyMaterial> {
  const now = options.clock();
  const names = serverNames([options.advertiseHost, ...(options.hosts ?? []), ...LOCAL_NAMES]);
  const givenTrustDomain = options.trustDomain ? trustDomainName(options.trustDomain) : undefined;
  const rule = { allowOpen: options.allowOpenKeyFiles ?? false };
  const provided = await readProvidedFiles(options.files ?? {}, rule);
  const directory = await openKeyDirectory(options.directory, rule);
  const secretKey = await loadSecretKey(directory, options.secretKey, rule, () =>
    isUnused(directory),
  );
  const authority = await resolveAuthority(directory, provided, now);
  const rootFingerprint = fingerprint(authority.root);
  const trustDomain = givenTrustDomain ?? rootFingerprint;
  const server = provided.tls
    ? providedServer(
        provided.tls,
        [...authority.chain, ...(provided.caBundle ?? [])],
        options.advertiseHost,
        now,
      )
    : await generatedServer(directory, authority, { names, trustDomain, now });
  const authorities = distinct(
    [authority.root, ...authority.chain, ...server.chain, ...(provided.caBundle ?? [])].filter(
      (certificate) => certificate.ca,
    ),
  );
  return {
    root: authority.root,
    signer: authority.signer,
    server: {
      leaf: server.chain[0],
      privateKey: server.privateKey,
      algorithm: usableAlgorithm(server.privateKey, 'OVERGRAPH_TLS_KEY'),
      certificateChainPem: toPem(withoutRoot(server.chain)),
      privateKeyPem: privateKeyPem(server.privateKey),
    },
    authorities,
    caBundlePem: toPem(authorities),
    trustDomain,
    secretKey,
    rootFingerprint,
    keyCheck: keyCheckOf(secretKey),
  };
}

interface Authority {
  readonly root: X509Certificate;
  readonly signer: CertificateIssuer;
  /** From the signer to the root. */
  readonly chain: CertificateChain;
}

interface Server {
  /** From the leaf to its root. */
  readonly chain: CertificateChain;
  readonly privateKey: KeyObject;
}

async function isUnused(directory: KeyDirectory): Promise<boolean> {
  const files = await Promise.all(['root.key', 'server.key'].map((name) => directory.read(name)));
  return files.every((content) => content === undefined);
}

async function resolveAuthority(
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

function providedServer(
  tls: ProvidedPair,
  pool: readonly X509Certificate[],
  advertiseHost: string,
  now: Date,
): Server {
  const chain = trustedChain(tls.chain, pool, tls.setting, now);
  if (!covers(chain[0], serverNames([advertiseHost]))) {
    throw new StartError(
      `the certificate of ${tls.setting} is not valid for the advertised host ${advertiseHost}`,
      'set OVERGRAPH_ADVERTISE to one of the names in the certificate',
    );
  }
  return { chain, privateKey: tls.privateKey };
}

async function generatedServer(
  directory: KeyDirectory,
  { signer, chain: signerChain }: Authority,
  wishes: OwnServerWishes,
): Promise<Server> {
  const { cert, privateKey } = await ownServer(directory, signer, wishes);
  return { chain: [cert, ...signerChain], privateKey };
}

/** The chain of the first certificate up to a root, every member valid at `now`. */
function trustedChain(
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

function usableAlgorithm(key: KeyObject, setting: string): SigningAlgorithm {
  const algorithm = signingAlgorithm(key);
  if (algorithm) return algorithm;
  throw new StartError(
    `the private key of ${setting} is of a kind that clients can not check`,
    'use an EC key on P-256, P-384 or P-521, or an RSA key of 2048 bits or more',
  );
}

/** Clients have the root already, and a chain that sends it only costs bytes. */
const withoutRoot = (chain: CertificateChain): readonly X509Certificate[] =>
  chain.length > 1 ? chain.slice(0, -1) : chain;
