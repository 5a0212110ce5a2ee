import type { RequestContext } from '../../kernel/request/context.js';
import { storedCertificates } from '../pki/index.js';
import { judgeClient, verifiedClient, type TrustedClient } from './certificate-login.js';
import { judgeConditions, passing, refused, type LoginPreview } from './login-preview.js';
import { svidLoginOf, type SvidLogin } from './svid-login.js';

/** The outcome that a login by a client certificate would have. */
export interface CertificatePreview extends LoginPreview {
  /** The authority whose certificate has signed it; null: this network, or none. */
  readonly authorityId: string | null;
  /** The claims of an X509-SVID; null for another certificate, and for a path that does not fit the template. */
  readonly claims: SvidLogin['claims'] | null;
}

/** Judges a certificate, with its intermediates as PEM, as a login would. Nobody is logged in, and nothing is counted. */
export async function previewCertificate(
  ctx: RequestContext,
  certPem: string,
): Promise<CertificatePreview> {
  const ders = storedCertificates(certPem).map(({ raw }) => raw);
  const shown = { ...ctx, credentials: { ...ctx.credentials, clientChain: () => ders } };
  try {
    const client = await verifiedClient(shown, shown.modules.keys);
    return { ...signedBy(client), ...(await outcomeOf(shown, client)) };
  } catch (error) {
    return { authorityId: null, claims: null, conditions: [], ...refused(error) };
  }
}

function signedBy({
  proof,
  authorities,
}: TrustedClient): Pick<CertificatePreview, 'authorityId' | 'claims' | 'conditions'> {
  const svid = svidLoginOf(proof, authorities);
  const authorityId = proof.authority.kind === 'own' ? null : proof.authority.id;
  const conditions = judgeConditions(svid?.issuer.rules.conditions ?? [], svid?.claims);
  return { authorityId, claims: svid?.claims ?? null, conditions };
}

async function outcomeOf(
  ctx: RequestContext,
  client: TrustedClient,
): Promise<Omit<LoginPreview, 'conditions'>> {
  try {
    const { identity, svid } = await judgeClient(ctx, client);
    return passing(identity?.identityId, svid);
  } catch (error) {
    return refused(error);
  }
}
