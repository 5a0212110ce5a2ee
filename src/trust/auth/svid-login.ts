import {
  certificateAuthorities,
  sourceOfAuthority,
  type LoginAuthority,
} from '../../data/rows/certificate-authority/index.js';
import { INTERNAL } from '../../data/rows/api-session/index.js';
import type { ClaimedIdentity } from '../../data/rows/identity/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { VerifiedClient } from './certificate/index.js';
import type { ClaimIssuer } from './claim-issuer.js';
import { claimedIdentity } from './claimed-identity.js';
import type { Newcomer } from './first-login.js';
import { RefusedLogin } from './refused-login.js';
import { meetsCondition, spiffeIdIn, svidClaims, type SvidClaims } from './rules/index.js';

/** The claims of a verified X509-SVID, with the authority of its trust domain. */
export interface SvidLogin extends Newcomer {
  /** Undefined if its path does not fit the template of the authority. */
  readonly claims: SvidClaims | undefined;
}

/** Gives the claims of a client whose leaf is an X509-SVID of a trust domain with a bundle. */
export function svidLoginOf(
  { authority, isCurrent }: VerifiedClient,
  authorities: readonly LoginAuthority[],
): SvidLogin | undefined {
  if (authority.kind === 'own') return undefined;
  const row = authorities.find(({ id }) => id === authority.id);
  const spiffeId = spiffeIdIn(authority.externalId ?? '');
  if (!row?.bundleEndpoint || !spiffeId) return undefined;
  const claims = svidClaims(spiffeId, row.svidPathTemplate);
  const issuer = authorityAsIssuer(row, { isCurrent, fitsTemplate: claims !== undefined });
  return { issuer, claims, claim: `spiffe://${spiffeId.trustDomain}${spiffeId.path}` };
}

/**
 * Finds the identity of an X509-SVID; undefined: the first login creates it. Each new leaf has another fingerprint: its
 * name alone counts.
 * @throws RefusedLogin
 */
export async function judgeSvid(
  ctx: RequestContext,
  svid: SvidLogin,
): Promise<ClaimedIdentity | undefined> {
  const { issuer, claims } = svid;
  if (!issuer.rules.conditions.every((condition) => meetsCondition(claims, condition))) {
    throw issuer.refused('UNMET_CONDITION');
  }
  return claimedIdentity(ctx.store, svid, ctx.now());
}

interface SvidState {
  readonly isCurrent: boolean;
  readonly fitsTemplate: boolean;
}

/** The authority of a trust domain as the issuer of the claims of an X509-SVID. */
function authorityAsIssuer(
  authority: LoginAuthority,
  { isCurrent, fitsTemplate }: SvidState,
): ClaimIssuer {
  const { id, name, createsIdentities, identityRoles, idleHoursBeforeDeletion } = authority;
  return {
    // A path without claims is not one that the administrator has foreseen.
    rules: { ...authority, createsIdentities: createsIdentities && fitsTemplate },
    ...{
      useExternalId: true,
      source: sourceOfAuthority(id),
      creator: { createdByAuthorityId: id },
    },
    ...{ title: `the certificate authority ${name}`, loginTitle: 'a login by an X509-SVID' },
    newIdentity: { roleAttributes: identityRoles, idleHoursBeforeDeletion },
    unknownClaim: 'UNKNOWN_CERTIFICATE',
    refusalOf: ({ primary }) => {
      if (!primary.cert.allowed) return 'CERTIFICATE_NOT_ALLOWED';
      // Also where expired certificates are allowed: its short life takes the place of its revocation.
      return isCurrent ? undefined : 'CERTIFICATE_NOT_CURRENT';
    },
    refused: (refusal, ids) => new RefusedLogin(refusal, { ...ids, authenticatorId: INTERNAL }),
    holdUnchanged: (tx) => certificateAuthorities.holdUnchanged(tx, authority),
  };
}
