import type { RequestContext } from '../../kernel/request/context.js';
import { storedCertificates } from '../pki/index.js';
import { judgeCertificate, verifiedClient } from './certificate-login.js';
import { judgeConditions, passing, refused, type LoginPreview } from './login-preview.js';
import { RefusedLogin } from './refused-login.js';
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
  return { ...(await signedBy(shown)), ...(await outcomeOf(shown)) };
}

type Signed = Pick<CertificatePreview, 'authorityId' | 'claims' | 'conditions'>;

async function signedBy(ctx: RequestContext): Promise<Signed> {
  try {
    const { proof, authorities } = await verifiedClient(ctx, ctx.modules.keys);
    const svid = svidLoginOf(proof, authorities);
    const authorityId = proof.authority.kind === 'own' ? null : proof.authority.id;
    const conditions = judgeConditions(svid?.issuer.rules.conditions ?? [], svid?.claims);
    return { authorityId, claims: svid?.claims ?? null, conditions };
  } catch (error) {
    if (!(error instanceof RefusedLogin)) throw error;
    return { authorityId: null, claims: null, conditions: [] };
  }
}

async function outcomeOf(ctx: RequestContext): Promise<Omit<LoginPreview, 'conditions'>> {
  try {
    const { identity, svid } = await judgeCertificate(ctx, ctx.modules.keys);
    return passing(identity?.identityId, svid);
  } catch (error) {
    return refused(error);
  }
}
