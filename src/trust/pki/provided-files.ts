import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartError } from '../../base/start-error.js';
import { decodeCertificates, type CertificateChain } from './certificate.js';
import { decodePrivateKey, errorCode } from './key-directory.js';
import { readSecretFile, type SecretFileRule } from './secret-file.js';

/** Paths of PEM files that replace generated material; a certificate needs its key. */
export interface KeyMaterialFiles {
  /** Server certificate, its intermediates may follow. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  /** More CA certificates that clients must trust, among them the root of `tlsCert`. */
  readonly caBundle?: string | undefined;
  /** CA that signs enrolled certificates, its issuers may follow. */
  readonly signerCert?: string | undefined;
  readonly signerKey?: string | undefined;
}

/** The variable that configures each file, for errors. */
const SETTINGS = {
  tlsCert: 'OVERGRAPH_TLS_CERT',
  tlsKey: 'OVERGRAPH_TLS_KEY',
  caBundle: 'OVERGRAPH_CA_BUNDLE',
  signerCert: 'OVERGRAPH_SIGNER_CERT',
  signerKey: 'OVERGRAPH_SIGNER_KEY',
} as const satisfies Record<keyof KeyMaterialFiles, string>;

export interface ProvidedPair {
  readonly chain: CertificateChain;
  readonly privateKey: KeyObject;
  /** The variable of the certificate, for errors. */
  readonly setting: string;
}

/** The decoded configured material; unconfigured members are undefined. */
export interface ProvidedMaterial {
  readonly tls: ProvidedPair | undefined;
  readonly signer: ProvidedPair | undefined;
  readonly caBundle: CertificateChain | undefined;
}

export async function readProvidedFiles(
  files: KeyMaterialFiles,
  rule: SecretFileRule,
): Promise<ProvidedMaterial> {
  return {
    tls: await readPair(files, 'tlsCert', 'tlsKey', rule),
    signer: await readPair(files, 'signerCert', 'signerKey', rule),
    caBundle: files.caBundle ? await readCertificates(files.caBundle, 'caBundle') : undefined,
  };
}

async function readPair(
  files: KeyMaterialFiles,
  certName: 'tlsCert' | 'signerCert',
  keyName: 'tlsKey' | 'signerKey',
  rule: SecretFileRule,
): Promise<ProvidedPair | undefined> {
  const [certPath, keyPath] = [files[certName], files[keyName]];
  const [setting, keySetting] = [SETTINGS[certName], SETTINGS[keyName]];
  if (!certPath && !keyPath) return undefined;
  if (!certPath || !keyPath) {
    const [given, missing] = certPath ? [setting, keySetting] : [keySetting, setting];
    throw new StartError(`${given} is set without ${missing}`, 'set both of them, or neither');
  }
  const given = await readCertificates(certPath, certName);
  const key = await readSettingFile(keyName, keyPath, () => readSecretFile(keyPath, rule));
  const privateKey = decodePrivateKey(key, keyPath, `point ${keySetting} at such a file`);
  const own = given.find((certificate) => certificate.checkPrivateKey(privateKey));
  if (!own) {
    throw new StartError(
      `the private key ${keyPath} does not belong to the certificate ${certPath}`,
      `point ${setting} and ${keySetting} at a matching pair`,
    );
  }
  // The order of the file does not matter: the key identifies the leaf, names give the chain.
  const chain = [own, ...given.filter((certificate) => certificate !== own)] as const;
  return { chain, privateKey, setting };
}

async function readCertificates(
  path: string,
  name: keyof KeyMaterialFiles,
): Promise<CertificateChain> {
  const content = await readSettingFile(name, path, () => readFile(path));
  const text = content.toString('latin1');
  return decodeCertificates(
    text,
    (reason) => new StartError(`${path}: ${reason}`, `point ${SETTINGS[name]} at a PEM file`),
  );
}

async function readSettingFile(
  name: keyof KeyMaterialFiles,
  path: string,
  read: () => Promise<Buffer>,
): Promise<Buffer> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `cannot read ${path} (${errorCode(error)})`,
      `correct ${SETTINGS[name]} or the permissions of the file`,
    );
  }
}
