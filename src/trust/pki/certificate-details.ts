import type { KeyObject, X509Certificate } from 'node:crypto';
import { nameText, notAfter, notBefore } from './certificate.js';
import { describeIssued } from './describe-issued.js';

/** The contents of a certificate, for people. */
export interface CertificateDetails {
  readonly subject: string;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly names: readonly string[];
  readonly usages: readonly string[];
  readonly isAuthority: boolean;
  /** `EC P-256`, `RSA 4096`, `ED25519`. */
  readonly key: string;
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export function certificateDetails(certificate: X509Certificate): CertificateDetails {
  const { subject, serialNumber, names, usages, fingerprint } = describeIssued(certificate);
  return {
    subject,
    issuer: nameText(certificate.issuer),
    serialNumber,
    names,
    usages,
    isAuthority: certificate.ca,
    key: keyText(certificate.publicKey),
    fingerprint,
    notBefore: notBefore(certificate),
    notAfter: notAfter(certificate),
  };
}

/** The names that people know the curves by. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

function keyText({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): string {
  const { modulusLength, namedCurve } = asymmetricKeyDetails;
  const size = namedCurve === undefined ? modulusLength : (CURVES[namedCurve] ?? namedCurve);
  const kind = asymmetricKeyType?.toUpperCase() ?? '';
  return size === undefined ? kind : `${kind} ${String(size)}`;
}
