import type { Selected } from '../../prisma/models.js';

/** The rules on claims, which signers and authorities of trust domains have alike. */
export const CLAIM_RULES = {
  ...{ id: true, name: true, revision: true, trustedForManagement: true, conditions: true },
  ...{ roleAttributeClaims: true, roleAttributePrefix: true, roleAttributeMinutes: true },
  ...{ createsIdentities: true, newIdentitiesArePending: true, maxCreatedIdentities: true },
  ...{ enrollAuthPolicyId: true, enrollNameClaimsSelector: true },
} as const;

/** A signer or an authority with its rules on claims. */
export type ClaimRules = Selected<'ExternalJwtSigner', typeof CLAIM_RULES>;
