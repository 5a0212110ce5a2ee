import type { KeyObject, X509Certificate } from 'node:crypto';
import { StartError } from '../../base/start-error.js';
import { decodeCertificates, toPem } from './certificate.js';
import type { CertificateIssuer } from './issue-certificate.js';
import { loadOrMakeKey, type KeyDirectory } from './key-directory.js';

export const RESTORE = 'restore the directory from a backup';

/** Gives `<name>.key` and `<name>.pem` of the directory, and creates missing ones. */
export async function ownPair(
  directory: KeyDirectory,
  name: string,
  issue: (privateKey: KeyObject) => Promise<X509Certificate>,
): Promise<CertificateIssuer> {
  const pem = await directory.read(`${name}.pem`);
  if (pem && !(await directory.read(`${name}.key`))) {
    throw new StartError(`${directory.pathOf(`${name}.key`)} is missing`, RESTORE);
  }
  const privateKey = await loadOrMakeKey(directory, `${name}.key`);
  if (!pem) {
    const cert = await issue(privateKey);
    await directory.write(`${name}.pem`, toPem([cert]));
    return { cert, privateKey };
  }
  const cert = await readOwnCertificate(directory, name);
  if (cert.checkPrivateKey(privateKey)) return { cert, privateKey };
  throw new StartError(
    `${directory.pathOf(`${name}.pem`)}: does not match its private key`,
    RESTORE,
  );
}

/** Reads `<name>.pem` of the directory, which must exist. */
export async function readOwnCertificate(
  directory: KeyDirectory,
  name: string,
): Promise<X509Certificate> {
  const path = directory.pathOf(`${name}.pem`);
  const pem = await directory.read(`${name}.pem`);
  if (!pem) throw new StartError(`${path} is missing`, RESTORE);
  const [cert] = decodeCertificates(
    pem.toString('latin1'),
    (reason) => new StartError(`${path}: ${reason}`, RESTORE),
  );
  return cert;
}
