export * as announcedSessions from './announced-session-rows.js';
export {
  CLIENT_FINGERPRINTS,
  HAS_SECOND_FACTOR,
  type KnownApiSession,
} from './announced-session-rows.js';
export * as apiSessions from './api-session-rows.js';
export { isNamed } from './api-session-rows.js';
export type { LoggedInSession, SessionKey, SessionLife } from './api-session-rows.js';
export * as endedSessions from './ended-session-rows.js';
export * as oidcSessions from './oidc-session-rows.js';
export type { OidcSession } from './oidc-session-rows.js';
export { INTERNAL, signerAuthenticator, signerOf } from './session-authenticator.js';
