import { createPublicKey, randomBytes, type KeyObject, type X509Certificate } from 'node:crypto';
import { StartError } from '../store/start-error.js';
import { isIssuedBy } from './certificate-chain.js';
import { rootTemplate, serverTemplate, signerTemplate } from './certificate-profiles.js';
import { decodeCertificates, isCurrent, notAfter, notBefore, toPem } from './certificate.js';
import { issueCertificate, type CertificateIssuer } from './issue-certificate.js';
import { loadOrMakeKey, type KeyDirectory } from './key-directory.js';
import { rememberServer } from './server-history.js';
import { controllerUri, covers, type ServerNames } from './server-names.js';

/** Part of its lifetime that a server certificate has left when it is renewed. */
const RENEWAL_PART = 1 / 3;
const RESTORE = 'restore the directory from a backup';

/**
 * The generated root and signer of the directory. Files are written in the order root key, root,
 * signer key, signer, so that whatever a killed first start left behind is completed by the next.
 */
export async function ownAuthority(
  directory: KeyDirectory,
  now: Date,
): Promise<{ readonly root: X509Certificate; readonly signer: CertificateIssuer }> {
  if ((await directory.read('signer.pem')) && !(await directory.read('root.pem'))) {
    throw new StartError(`${directory.pathOf('root.pem')} is missing`, RESTORE);
  }
  const tag = randomBytes(4).toString('hex');
  const root = await ownPair(directory, 'root', (privateKey) =>
    issueCertificate(rootTemplate(createPublicKey(privateKey), tag, now), { privateKey }),
  );
  const signer = await ownPair(directory, 'signer', (privateKey) =>
    issueCertificate(signerTemplate(createPublicKey(privateKey), tag, now), root),
  );
  return { root: root.cert, signer };
}

export interface OwnServerWishes {
  readonly names: ServerNames;
  readonly trustDomain: string;
  readonly now: Date;
}

/**
 * The generated server certificate. The key is made once and kept, because outstanding enrollment
 * tokens are signed with it; the certificate is issued anew when it no longer serves.
 */
export async function ownServer(
  directory: KeyDirectory,
  signer: CertificateIssuer,
  wishes: OwnServerWishes,
): Promise<CertificateIssuer> {
  const { names, trustDomain, now } = wishes;
  const issue = (privateKey: KeyObject, id: string): Promise<X509Certificate> =>
    issueCertificate(
      serverTemplate(
        createPublicKey(privateKey),
        names,
        `spiffe://${trustDomain}/controller/${id}`,
        { now, latest: notAfter(signer.cert) },
      ),
      signer,
    );
  const stored = await ownPair(directory, 'server', (privateKey) =>
    issue(privateKey, randomBytes(6).toString('hex')),
  );
  if (serves(stored.cert, signer.cert, wishes)) return stored;
  const id = controllerUri(stored.cert)?.id ?? randomBytes(6).toString('hex');
  const cert = await issue(stored.privateKey, id);
  await rememberServer(directory, stored.cert);
  await directory.write('server.pem', toPem([cert]));
  return { cert, privateKey: stored.privateKey };
}

function serves(
  cert: X509Certificate,
  signer: X509Certificate,
  { names, trustDomain, now }: OwnServerWishes,
): boolean {
  return (
    isCurrent(cert, now) &&
    !isWorthRenewing(cert, signer, now) &&
    covers(cert, names) &&
    isIssuedBy(cert, signer) &&
    controllerUri(cert)?.uri.startsWith(`spiffe://${trustDomain}/`) === true
  );
}

/** No certificate outlives its signer: when both end together, another would win no time. */
function isWorthRenewing(cert: X509Certificate, signer: X509Certificate, now: Date): boolean {
  const lifetime = notAfter(cert).getTime() - notBefore(cert).getTime();
  const left = notAfter(cert).getTime() - now.getTime();
  return left < lifetime * RENEWAL_PART && notAfter(cert) < notAfter(signer);
}

/** `<name>.key` and `<name>.pem` of the directory, made where missing. */
async function ownPair(
  directory: KeyDirectory,
  name: 'root' | 'signer' | 'server',
  issue: (privateKey: KeyObject) => Promise<X509Certificate>,
): Promise<CertificateIssuer> {
  const path = directory.pathOf(`${name}.pem`);
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
  const refusal = (reason: string): StartError => new StartError(`${path}: ${reason}`, RESTORE);
  const [cert] = decodeCertificates(pem.toString('latin1'), refusal);
  if (!cert.checkPrivateKey(privateKey)) throw refusal('does not match its private key');
  return { cert, privateKey };
}
