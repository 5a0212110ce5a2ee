export {
  checkExternalIdClaim,
  checkExternalJwtSigner,
  checkPassword,
  checkPermissions,
  defaultAuthPolicy,
  mergeExternalIdClaim,
  normaliseAuthPolicy,
  type AuthPolicySettings,
  type ExternalIdClaim,
  type ExternalJwtSignerSettings,
} from './rules/index.js';
export { hashPassword, isPassword } from './password-hash.js';
export { ApiSessions, type LiveSession, type NewSession } from './sessions.js';
export { loginByPassword, type ProvedIdentity } from './password-login.js';
