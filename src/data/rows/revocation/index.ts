export * as revocations from './revocation-rows.js';
export { identityRevokedBefore } from './identity-revocation.js';
