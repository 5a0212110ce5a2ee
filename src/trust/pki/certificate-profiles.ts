import type { KeyObject } from 'node:crypto';
import { earlier } from './certificate.js';
import type { CertificateTemplate } from './issue-certificate.js';
import type { ServerNames } from './server-names.js';
import { x509 } from './x509.js';

const DAY_MS = 24 * 60 * 60_000;
/** Clocks of clients may run a little behind ours. */
const BACKDATE_MS = 60_000;

const CA_USAGE = new x509.KeyUsagesExtension(
  x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
  true,
);

/** The self-signed root of a network, 20 years. `tag` makes the names of two networks differ. */
export const rootTemplate = (
  publicKey: KeyObject,
  tag: string,
  now: Date,
): CertificateTemplate => ({
  subject: name(`Overgraph Root CA ${tag}`),
  publicKey,
  ...validity(now, 20 * 365 * DAY_MS),
  extensions: [new x509.BasicConstraintsExtension(true, undefined, true), CA_USAGE],
});

/** The CA that signs all other certificates, 10 years; it can not certify further CAs. */
export const signerTemplate = (
  publicKey: KeyObject,
  tag: string,
  now: Date,
): CertificateTemplate => ({
  subject: name(`Overgraph Signer ${tag}`),
  publicKey,
  ...validity(now, 10 * 365 * DAY_MS),
  extensions: [new x509.BasicConstraintsExtension(true, 0, true), CA_USAGE],
});

/** The TLS server certificate, a year but not longer than its issuer. `spiffeId` is its URI name. */
export function serverTemplate(
  publicKey: KeyObject,
  names: ServerNames,
  spiffeId: string,
  period: { readonly now: Date; readonly latest: Date },
): CertificateTemplate {
  const { notBefore, notAfter } = validity(period.now, 365 * DAY_MS);
  const { digitalSignature, keyEncipherment } = x509.KeyUsageFlags;
  return {
    subject: name('Overgraph Controller'),
    publicKey,
    notBefore,
    notAfter: earlier(notAfter, period.latest),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns' as const, value })),
        ...names.ips.map((value) => ({ type: 'ip' as const, value })),
        { type: 'url', value: spiffeId },
      ]),
    ],
  };
}

const name = (commonName: string): x509.JsonName => [{ O: ['Overgraph'] }, { CN: [commonName] }];

const validity = (now: Date, milliseconds: number): { notBefore: Date; notAfter: Date } => ({
  notBefore: new Date(now.getTime() - BACKDATE_MS),
  notAfter: new Date(now.getTime() + milliseconds),
});
