import type { X509Certificate } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import {
  decodeCertificate,
  findTrustAnchor,
  isCurrent,
  parseCertificatePem,
} from '../pki/index.js';
import type { EnrollingAuthority } from '../../data/rows/certificate-authority/index.js';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

/** A client certificate, and the authority that vouches for it. */
export interface VouchedLeaf {
  readonly leaf: X509Certificate;
  readonly authority: EnrollingAuthority;
}

/** Gives the client certificate of the connection, and the first authority that vouches for it. */
export function vouchedLeaf(
  ctx: RequestContext,
  authorities: readonly EnrollingAuthority[],
): VouchedLeaf | undefined {
  const [first, ...others] = ctx.credentials.clientChain();
  const leaf = first && decodeCertificate(first);
  if (!leaf || !isCurrent(leaf, ctx.now()) || !isForClients(leaf)) return undefined;
  const candidates = others.flatMap((der) => decodeCertificate(der) ?? []);
  const authority = authorities.find((row) => {
    const [anchor, ...between] = parseCertificatePem(row.certPem);
    const question = { leaf, candidates: [...candidates, ...between], anchors: [anchor] };
    return findTrustAnchor({ ...question, now: ctx.now() }) !== undefined;
  });
  return authority && { leaf, authority };
}

/** Without extended usages a certificate may serve any purpose (RFC 5280 4.2.1.12). */
function isForClients({ keyUsage: usages }: Partial<X509Certificate>): boolean {
  return usages === undefined || usages.includes(CLIENT_AUTH) || usages.includes(ANY_USAGE);
}
