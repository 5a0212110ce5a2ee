export * as announcedSessions from './announced-sessions.js';
export { CLIENT_FINGERPRINTS, type KnownApiSession } from './announced-sessions.js';
export * as apiSessions from './api-sessions.js';
export type { LoggedInSession } from './api-sessions.js';
export * as endedSessions from './ended-sessions.js';
export { INTERNAL, signerAuthenticator, signerOf } from './session-authenticator.js';
