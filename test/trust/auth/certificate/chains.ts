import type { X509Certificate } from 'node:crypto';
import {
  verifyClientChain,
  type PresentedChain,
  type ThirdPartyAuthority,
} from '../../../../src/trust/auth/certificate/index.js';
import type { CertificateIssuer } from '../../../../src/trust/pki/index.js';
import { NOW } from '../../pki/support.js';

type Verdict = ReturnType<typeof verifyClientChain>;

export const UNTRUSTED = { verified: false, reason: 'untrusted certificate' };

export const verify = (presented: readonly Buffer[], more: Partial<PresentedChain> = {}): Verdict =>
  verifyClientChain({ presented, own: { authorities: [] }, thirdParty: [], now: NOW, ...more });

export const ownOf = (...pairs: readonly CertificateIssuer[]): Pick<PresentedChain, 'own'> => ({
  own: { authorities: pairs.map(({ cert }) => cert) },
});

export const rowOf = (
  { cert }: { readonly cert: X509Certificate },
  more: Partial<ThirdPartyAuthority> = {},
): ThirdPartyAuthority => ({
  id: 'ca-1',
  certPem: cert.toString(),
  trustDomain: null,
  isVerified: true,
  isAuthEnabled: true,
  externalIdClaim: null,
  ...more,
});
