import { invalidField } from '../base/errors.js';
import {
  describeCertificate,
  parseCertificatePem,
  toPem,
  type CertificateDescription,
} from './certificate.js';

/** A certificate authority of somebody else, as given by an administrator. */
export interface AuthorityDescription extends CertificateDescription {
  /** The given chain, CA first, free of text around the blocks. */
  readonly certPem: string;
}

/** Reads the PEM of a certificate authority; 400 field `certPem` unless its first certificate is a CA. */
export function parseAuthority(certPem: string): AuthorityDescription {
  const chain = parseCertificatePem(certPem);
  const description = describeCertificate(chain[0]);
  if (!description.isCa) {
    throw invalidField('certPem', 'the first certificate is not a CA', description.commonName);
  }
  return { ...description, certPem: toPem(chain) };
}

/** The certificate of an external JWT signer. */
export interface JwtSignerDescription extends Omit<CertificateDescription, 'isCa'> {
  readonly certPem: string;
  /** Key id that tokens carry when the signer names no other: the fingerprint. */
  readonly defaultKid: string;
}

/** Reads the PEM of an external JWT signer, of which the first certificate counts; 400 field `certPem`. */
export function parseJwtSigner(certPem: string): JwtSignerDescription {
  const chain = parseCertificatePem(certPem);
  const { commonName, fingerprint, notBefore, notAfter } = describeCertificate(chain[0]);
  const pem = toPem(chain);
  return { commonName, fingerprint, notBefore, notAfter, certPem: pem, defaultKid: fingerprint };
}
