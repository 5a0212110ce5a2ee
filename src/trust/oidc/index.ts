export { AccessTokens } from './access-tokens.js';
export { authorize } from './authorize.js';
export { authorizeDevice } from './authorize-device.js';
export { answerWithCode } from './callback.js';
export {
  askingDevice,
  decideDevice,
  requestOfUserCode,
  type AskingDevice,
  type DeviceLogin,
} from './device-decision.js';
export { discoveryDocument } from './discovery.js';
export { logOut, revoke } from './end-session.js';
export { introspect } from './introspect.js';
export { issuerOf, OIDC_PATH } from './issuer.js';
export {
  logIn,
  missingProofs,
  requireProved,
  requireRequest,
  type LoginProgress,
} from './login-progress.js';
export { checkOidcAddresses, effectiveAddresses, globalSettings } from './oidc-addresses.js';
export { RedirectLists } from './redirect-lists.js';
export { OAuthError } from './oauth-error.js';
export { Parameters } from './parameters.js';
export { namesCertificate, provesPossession } from './possession.js';
export type { OidcRequest, OidcSettings } from './provider.js';
export { RevokedTokens } from './revoked-tokens.js';
export { confirm, enroll, proveCode, unenroll, type SetUp } from './second-factor.js';
export { issue } from './token.js';
export { userInfo } from './user-info.js';
export type { TokenClaims } from './verify-token.js';
