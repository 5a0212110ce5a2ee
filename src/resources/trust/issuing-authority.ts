import type { X509Certificate } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Write } from '../../kernel/declare/resource.js';
import { present } from '../../kernel/declare/rows.js';
import { loginCertificates } from '../../data/rows/authenticator/index.js';
import { certificateAuthorities } from '../../data/rows/certificate-authority/index.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { deleteIn } from '../../kernel/write/write.js';
import { fingerprint, isBelow, parseCertificatePem } from '../../trust/pki/index.js';

/** Gives the external authority that issued a certificate, locked until the commit. */
export async function issuingAuthority(
  ctx: RequestContext,
  tx: Transaction,
  leaf: X509Certificate,
): Promise<string | undefined> {
  const authorities = await certificateAuthorities.certificates(tx);
  const issuer = authorities.find(
    (row) => !isOwn(ctx, row.fingerprint) && hasIssued(row.certPem, leaf),
  );
  if (!issuer) return undefined;
  const [lockedId] = await tx.hold(ctx.catalog.resources.CertificateAuthority, [issuer.id]);
  return lockedId;
}

/** The first certificate is the authority; others may be intermediates between it and the leaf. */
function hasIssued(pem: string, leaf: X509Certificate): boolean {
  const [authority, ...between] = parseCertificatePem(pem);
  return isBelow(leaf, authority, between);
}

/** An own authority may be entered as an external one; its certificates still count as our own. */
const isOwn = (ctx: RequestContext, print: string): boolean =>
  ctx.modules.keys.authorities.some((own) => fingerprint(own) === print);

const BATCH = 500;

/**
 * Deletes the certificate authenticators of an authority that do not name it, because they are older
 * than the authority. Those that name it are deleted by their reference.
 */
export async function deleteIssued(write: Write<'CertificateAuthority'>): Promise<void> {
  const { ctx, tx } = write;
  if (write.current.bundleEndpoint) return;
  const { certPem, fingerprint: print } = present(write.current, 'certPem', 'fingerprint');
  if (isOwn(ctx, print)) return;
  const authenticators = ctx.catalog.resources.Authenticator;
  let last = '';
  for (let rowCount = BATCH; rowCount === BATCH;) {
    const rows = await loginCertificates.nextUnassigned(tx, { after: last, limit: BATCH });
    const issued = rows
      .filter((row) => hasIssued(certPem, leafOf(row.certPem)))
      .map(({ id }) => id);
    await deleteIn(ctx, tx, authenticators, await tx.find(authenticators, { id: issued }));
    rowCount = rows.length;
    last = rows.at(-1)?.id ?? last;
  }
}

const leafOf = (pem: string): X509Certificate => parseCertificatePem(pem)[0];
