import type { X509Certificate } from 'node:crypto';
import { certificateContents } from './certificate-contents.js';
import { fingerprint, notAfter, notBefore, subjectText } from './certificate.js';
import { addressOf } from './host-names.js';

/** The members of an issued certificate that operators search for. */
export interface IssuedDescription {
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string;
  /** Lower-case hex. */
  readonly serialNumber: string;
  /** The text of `subjectText`. */
  readonly subject: string;
  /** The alternative names as `DNS:a.example`, `IP:10.0.0.1`, `URI:…` or `email:…`. */
  readonly names: readonly string[];
  /** `clientAuth`, `serverAuth`; others by their object identifier. */
  readonly usages: readonly string[];
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
}

const USAGES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
};

export function describeIssued(certificate: X509Certificate): IssuedDescription {
  return {
    fingerprint: fingerprint(certificate),
    serialNumber: certificate.serialNumber.toLowerCase(),
    subject: subjectText(certificate),
    names: nameTexts(certificate),
    usages: usagesOf(certificate),
    notBefore: notBefore(certificate).toISOString(),
    notAfter: notAfter(certificate).toISOString(),
  };
}

/** Without extended usages a certificate may serve any purpose (RFC 5280 4.2.1.12). */
const usagesOf = ({ keyUsage }: { readonly keyUsage?: readonly string[] }): string[] =>
  keyUsage?.map((id) => USAGES[id] ?? id) ?? [];

function nameTexts(certificate: X509Certificate): string[] {
  const names = certificateContents(certificate)?.alternativeNames;
  if (!names) return [];
  return [
    ...names.dnsNames.map((name) => `DNS:${name}`),
    ...names.addresses.map((bytes) => `IP:${addressOf(bytes) ?? bytes.toString('hex')}`),
    ...names.uris.map((uri) => `URI:${uri}`),
    ...names.emails.map((email) => `email:${email}`),
  ];
}
