import { invalidField } from '../../base/errors.js';
import {
  describeCertificate,
  parseCertificatePem,
  toPem,
  type CertificateDescription,
} from './certificate.js';

/** An external certificate authority, as entered by an administrator. */
export interface AuthorityDescription extends CertificateDescription {
  /** The given chain, CA first, without text around the blocks. */
  readonly certPem: string;
}

/** Reads the PEM of a certificate authority; 400 on `field` unless its first certificate is a CA. */
export function parseAuthority(certPem: string, field = 'certPem'): AuthorityDescription {
  const chain = parseCertificatePem(certPem, field);
  const description = describeCertificate(chain[0]);
  if (!description.isCa) {
    throw invalidField(field, 'the first certificate is not a CA', description.commonName);
  }
  return { ...description, certPem: toPem(chain) };
}

/** The certificate of an external JWT signer. */
export interface JwtSignerDescription extends Omit<CertificateDescription, 'isCa'> {
  readonly certPem: string;
  /** The key id in tokens unless the signer names another: the fingerprint. */
  readonly defaultKid: string;
}

/** Reads the PEM of an external JWT signer; the first certificate counts; 400 field `certPem`. */
export function parseJwtSigner(certPem: string): JwtSignerDescription {
  const chain = parseCertificatePem(certPem);
  const { commonName, fingerprint, notBefore, notAfter } = describeCertificate(chain[0]);
  const pem = toPem(chain);
  return { commonName, fingerprint, notBefore, notAfter, certPem: pem, defaultKid: fingerprint };
}
