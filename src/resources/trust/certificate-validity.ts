import type { X509Certificate } from 'node:crypto';
import { notAfter, notBefore, parseCertificatePem } from '../../trust/pki/index.js';

/** An end of the validity of a certificate that is not stored itself. */
const end = (description: string) =>
  ({
    description,
    write: 'never',
    nullable: true,
    graphFilter: true,
    graphOnly: true,
    unlogged: true,
  }) as const;

export const CERTIFICATE_BEGIN = end('When the certificate begins.');
export const CERTIFICATE_END = end('When the certificate ends.');

/** An end of the validity of the first certificate in `certPem`. */
const followingEnd = (
  attribute: ReturnType<typeof end>,
  read: (certificate: X509Certificate) => Date,
) =>
  ({
    ...attribute,
    follows: { from: 'certPem', value: (pem: unknown) => readFrom(pem, read) },
  }) as const;

function readFrom(pem: unknown, read: (certificate: X509Certificate) => Date): Date | null {
  if (typeof pem !== 'string' || pem === '') return null;
  try {
    return read(parseCertificatePem(pem)[0]);
  } catch {
    // Older releases stored certificates that can not be parsed today.
    return null;
  }
}

export const NOT_BEFORE = followingEnd(CERTIFICATE_BEGIN, notBefore);
export const NOT_AFTER = followingEnd(CERTIFICATE_END, notAfter);
