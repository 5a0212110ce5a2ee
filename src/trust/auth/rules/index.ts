export {
  allowsSigner,
  defaultAuthPolicy,
  normaliseAuthPolicy,
  secondaryOf,
  type AuthPolicyPrimary,
  type AuthPolicySecondary,
  type AuthPolicySettings,
} from './auth-policy-settings.js';
export {
  checkBundleEndpoint,
  mergeBundleEndpoint,
  type BundleEndpoint,
} from './bundle-endpoint-settings.js';
export {
  checkExternalIdClaim,
  mergeExternalIdClaim,
  type ExternalIdClaim,
} from './external-id-claim.js';
export {
  checkExternalJwtSigner,
  DEFAULT_CLAIM,
  type ExternalJwtSignerSettings,
} from './external-jwt-signer-settings.js';
export type { AdminClaim } from './admin-claims.js';
export { claimTexts, meetsCondition, type ClaimCondition } from './claim-conditions.js';
export { checkAuthorityRules, type AuthorityRules } from './claim-rule-settings.js';
export { claimsPointer } from './claims-pointer.js';
export { isForbiddenJwksHost } from './jwks-endpoint.js';
export { checkPassword, type PasswordRules } from './password.js';
export { checkPermissions, identityPermissions } from './identity-permissions.js';
export { spiffeIdIn, trustDomainIn, type SpiffeId } from './spiffe-id.js';
export { svidClaims, type SvidClaims } from './svid-claims.js';
export { exceeds, hasRights, type Rights } from './rights.js';
