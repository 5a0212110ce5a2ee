export * as revocations from './revocation-rows.js';
export { identityRevokedBefore, isTokenRevokedSql } from './revocation-sql.js';
