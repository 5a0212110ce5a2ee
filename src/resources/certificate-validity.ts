import type { X509Certificate } from 'node:crypto';
import { notAfter, notBefore, parseCertificatePem } from '../pki/index.js';

/** An end of the validity of the first certificate in `certPem`. */
const end = (description: string, read: (certificate: X509Certificate) => Date) =>
  ({
    description,
    write: 'never',
    nullable: true,
    graphFilter: true,
    graphOnly: true,
    unlogged: true,
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

export const NOT_BEFORE = end('When the certificate begins.', notBefore);
export const NOT_AFTER = end('When the certificate ends.', notAfter);
