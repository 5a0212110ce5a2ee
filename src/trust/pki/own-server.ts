import { createPublicKey, randomBytes, type KeyObject, type X509Certificate } from 'node:crypto';
import { isIssuedBy } from './certificate-chain.js';
import { serverTemplate } from './certificate-profiles.js';
import { isCurrent, notAfter, notBefore, toPem } from './certificate.js';
import { issueCertificate, type CertificateIssuer } from './issue-certificate.js';
import type { KeyDirectory } from './key-directory.js';
import { ownPair } from './own-pair.js';
import { rememberServer } from './server-history.js';
import { controllerUri, covers, type ServerNames } from './server-names.js';

/** The rest of its lifetime, as a fraction, at which a server certificate is renewed. */
const RENEWAL_PART = 1 / 3;

export interface OwnServerWishes {
  readonly names: ServerNames;
  readonly trustDomain: string;
  readonly now: Date;
}

/**
 * Gives the generated server certificate. The key is created once and stays, because outstanding
 * enrollment tokens are signed with it; the certificate is renewed when it is no longer usable.
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

/** A certificate must not outlive its signer: if both end together, a new one gains no time. */
function isWorthRenewing(cert: X509Certificate, signer: X509Certificate, now: Date): boolean {
  const lifetime = notAfter(cert).getTime() - notBefore(cert).getTime();
  const left = notAfter(cert).getTime() - now.getTime();
  return left < lifetime * RENEWAL_PART && notAfter(cert) < notAfter(signer);
}
