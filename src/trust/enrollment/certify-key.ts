import type { X509Certificate } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import {
  describeIssued,
  issueFromCsr,
  parseCertificatePem,
  type CsrProfile,
  type IssuedCertificate,
  type KeyMaterial,
} from '../pki/index.js';

/** The entity that a certificate is for. */
export interface CertificateHolder {
  readonly type: 'Identity' | 'EdgeRouter' | 'TransitRouter' | 'ApiSession' | 'Controller';
  readonly id: string;
}

export interface CertificateOrder {
  readonly csrPem: string;
  readonly profile: CsrProfile;
  readonly holder: CertificateHolder;
}

/** Certifies the key of a request; the change log records it with the commit. */
export async function certifyKey(
  ctx: Pick<RequestContext, 'now'>,
  tx: Transaction,
  keys: KeyMaterial,
  { csrPem, profile, holder }: CertificateOrder,
): Promise<IssuedCertificate> {
  const issued = await issueFromCsr({ csrPem, signer: keys, profile, now: ctx.now() });
  recordCertificate(tx, parseCertificatePem(issued.certificatePem)[0], holder);
  return issued;
}

/** Writes a certificate into the change log, where operators find all certificates and holders. */
export function recordCertificate(
  tx: Transaction,
  certificate: X509Certificate,
  holder: CertificateHolder,
): void {
  const description = describeIssued(certificate);
  tx.record({
    resource: 'Certificate',
    id: description.fingerprint,
    operation: 'create',
    revision: 1,
    before: null,
    after: { ...description, holderType: holder.type, holderId: holder.id },
  });
}
