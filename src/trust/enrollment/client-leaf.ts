import type { X509Certificate } from 'node:crypto';
import type { RequestContext } from '../../kernel/request/context.js';
import {
  decodeCertificate,
  findTrustAnchor,
  isCurrent,
  isForClients,
  parseCertificatePem,
} from '../pki/index.js';
import type { EnrollingAuthority } from '../../data/rows/certificate-authority/index.js';

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
