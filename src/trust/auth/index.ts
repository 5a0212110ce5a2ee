export {
  allowsSigner,
  checkAuthorityRules,
  checkBundleEndpoint,
  checkExternalIdClaim,
  checkExternalJwtSigner,
  DEFAULT_CLAIM,
  checkPassword,
  checkPermissions,
  claimsPointer,
  defaultAuthPolicy,
  mergeBundleEndpoint,
  mergeExternalIdClaim,
  normaliseAuthPolicy,
  type AuthPolicySettings,
  type AuthorityRules,
  type AuthPolicySecondary,
  type BundleEndpoint,
  type ExternalIdClaim,
  type ExternalJwtSignerSettings,
  type Rights,
} from './rules/index.js';
export { mfaQuery, signerQuery } from './auth-queries.js';
export { externalIdOf, presentedChain, verifyClientChain } from './certificate/index.js';
export { isDisabled, isSwitchedOff, type DisabledState } from './disabled-identity.js';
export { enableOverdue } from './enable-overdue.js';
export { setIdentityStateIn, type IdentityState } from './set-identity-state.js';
export type { ClaimedAttributes, RenewClaimedAttributes } from './claimed-attributes.js';
export { clientInfo } from './client-info.js';
export { JwksKeys, type VerifiedExternalJwt } from './ext-jwt/index.js';
export { verifiedAmong } from './ext-jwt-login.js';
export { oneJoinsAtATime } from './one-joins-at-a-time.js';
export { loginBySigner, type Failure } from './refused-jwt.js';
export { removeIdleIdentities } from './remove-idle-identities.js';
export {
  isLoginEvent,
  observed,
  observedCode,
  observedEnrollment,
  tellRefusedFactor,
  type LoginAttempt,
  type LoginObserver,
} from './login-attempt.js';
export { hourOf, LoginCounts } from './login-counts.js';
export { LoginLimit } from './login-limit.js';
export { RefusedLogin } from './refused-login.js';
export {
  deleteExpiredRevocations,
  endSessionsOfIdentity,
  revokeEndedSessions,
  revokeIn,
  revokeTokensOfIdentity,
  type NewRevocation,
  type RevocationType,
} from './revocations.js';
export {
  confirmMfa,
  currentMfa,
  mfaDependencies,
  proveMfa,
  removeMfa,
  removeMfaOf,
  renewRecoveryCodes,
  startMfa,
  viewRecoveryCodes,
  type MfaView,
} from './mfa-enrollment.js';
export { qrCodePng } from './mfa/index.js';
export { hashPassword, isPassword } from './password-hash.js';
export type { JudgedAdminClaim } from './granted-rights.js';
export { openApiSession, type LoginFacts } from './open-api-session.js';
export type { ProvedIdentity } from './password-login.js';
export { previewExternalJwt, type ExternalJwtPreview } from './preview-external-jwt.js';
export { previewCertificate, type CertificatePreview } from './preview-certificate.js';
export type { JudgedCondition, LoginPreview } from './login-preview.js';
export { proveLogin, signerParts, type PasswordInput } from './prove-login.js';
export { resetPassword, type PasswordReset, type ResetPassword } from './reset-password.js';
export {
  serviceSessionTokens,
  type ServiceSessionTokens,
  type SessionTokenClaims,
  type SessionTokenInput,
  type SessionType,
} from './service-session-token.js';
export { needsTotp, askedFactors, asksNothing, outstanding, unprovedBy } from './second-factors.js';
export {
  ApiSessions,
  type LiveSession,
  type NewSession,
  type TouchedSessions,
} from './sessions.js';
export { ExternalSigners } from './signers.js';
export { refreshBundles, type BundleRefreshOptions } from './spiffe/index.js';
export { TokenKeys, type KeySet, type VerificationKey } from './token-keys.js';
export { TokenLife } from './token-life.js';
export {
  idsToActUpon,
  mayActUpon,
  refuseHigherRights,
  refuseHigherRightsOf,
} from './target-rights.js';
export { issueTotpToken, type TotpToken } from './totp-token.js';
