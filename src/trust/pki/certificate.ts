import { createHash, X509Certificate } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import { commonNameIn } from './common-name.js';
import { decodePemBody } from './pem.js';
import { isBoundedKey, publicKeyIn, UNBOUNDED } from './public-key.js';

/** One certificate or more, in the order of the text they came from (leaf first by convention). */
export type CertificateChain = readonly [X509Certificate, ...X509Certificate[]];

/** The members of a certificate for people and records. */
export interface CertificateDescription {
  /** Common name of the subject, `''` when it has none; the last one when it has several. */
  readonly commonName: string;
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly isCa: boolean;
}

const PEM_LABEL = /-----BEGIN ([^-\r\n]+)-----/g;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;

/**
 * Lower-case hex SHA-1 of the DER, the form that clients and routers compare as text.
 * Bytes are taken to be DER, text to be PEM (of which the first certificate counts).
 */
export function fingerprint(certificate: X509Certificate | Uint8Array | string): string {
  if (typeof certificate === 'string') return fingerprint(parseCertificatePem(certificate)[0]);
  const der = certificate instanceof X509Certificate ? certificate.raw : certificate;
  return createHash('sha1').update(der).digest('hex');
}

/** Every CERTIFICATE block of a PEM text; 400 on `field` when it is anything else. */
export function parseCertificatePem(text: string, field = 'certPem'): CertificateChain {
  return decodeCertificates(text, (reason) => invalidField(field, reason, shortened(text)));
}

/** The first certificate of a stored text; undefined in one that can not be read, so that it spoils no others. */
export const storedCertificate = (pem: string): X509Certificate | undefined =>
  storedCertificates(pem)[0];

/** The certificates of a stored text; none of one that can not be read. */
export function storedCertificates(pem: string): readonly X509Certificate[] {
  try {
    return parseCertificatePem(pem);
  } catch {
    return [];
  }
}

/** As `parseCertificatePem`, with an error of the caller's choice. */
export function decodeCertificates(
  text: string,
  refusal: (reason: string) => Error,
): CertificateChain {
  const labels = [...text.matchAll(PEM_LABEL)].map((match) => match[1]);
  const otherLabel = labels.find((label) => label !== 'CERTIFICATE');
  if (otherLabel !== undefined)
    throw refusal(`expected PEM blocks of type CERTIFICATE, found ${otherLabel}`);
  const blocks = [...text.matchAll(PEM_CERTIFICATE)];
  const [first, ...others] = blocks.map((block, index) => {
    const der = decodePemBody(block[1] ?? '');
    if (der && hasUnboundedKey(der)) {
      throw refusal(`PEM block ${String(index + 1)} has an RSA key that is ${UNBOUNDED}`);
    }
    const certificate = der && decodeCertificate(der);
    if (!certificate) throw refusal(`PEM block ${String(index + 1)} is not an X.509 certificate`);
    return certificate;
  });
  if (!first) throw refusal('expected at least one PEM block of type CERTIFICATE');
  if (blocks.length < labels.length) throw refusal('a PEM block has no end');
  return [first, ...others];
}

function hasUnboundedKey(der: Buffer): boolean {
  const publicKey = publicKeyIn(der);
  return publicKey !== undefined && !isBoundedKey(publicKey);
}

/**
 * Decodes a certificate that fills the DER exactly; gives undefined for other bytes, or for a key whose
 * use would cost unbounded time.
 */
export function decodeCertificate(der: Buffer): X509Certificate | undefined {
  const publicKey = publicKeyIn(der);
  if (!publicKey || !isBoundedKey(publicKey)) return undefined;
  try {
    const certificate = new X509Certificate(der);
    const datesReadable = [notBefore(certificate), notAfter(certificate)].every(
      (date) => !Number.isNaN(date.getTime()),
    );
    // The parser accepts bytes after the certificate; the fingerprint must cover all sent bytes.
    return datesReadable && certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

export const describeCertificate = (certificate: X509Certificate): CertificateDescription => ({
  commonName: commonNameIn(certificate.raw),
  fingerprint: fingerprint(certificate),
  notBefore: notBefore(certificate),
  notAfter: notAfter(certificate),
  isCa: certificate.ca,
});

/** `O=b, CN=a` in the order of the certificate; `''` where it can not be read. */
export const nameText = (name: string | undefined): string => name?.replaceAll('\n', ', ') ?? '';

export const subjectText = ({ subject }: { readonly subject?: string }): string =>
  nameText(subject);

export const notBefore = (certificate: X509Certificate): Date => new Date(certificate.validFrom);
export const notAfter = (certificate: X509Certificate): Date => new Date(certificate.validTo);

export const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** Whether `now` lies within the validity, both ends included (RFC 5280 4.1.2.5). */
export const isCurrent = (certificate: X509Certificate, now: Date): boolean =>
  notBefore(certificate) <= now && now <= notAfter(certificate);

/** PEM of all given certificates, one after the other, each ending in a newline. */
export const toPem = (certificates: readonly X509Certificate[]): string =>
  certificates.map((certificate) => certificate.toString()).join('');

/** The certificates without repetition, first occurrences kept. */
export function distinct(certificates: readonly X509Certificate[]): X509Certificate[] {
  return [...new Map(certificates.map((c) => [c.fingerprint256, c])).values()];
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);
