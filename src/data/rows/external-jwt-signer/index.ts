export * as externalJwtSigners from './external-jwt-signer-rows.js';
export { CLAIM_RULES, type ClaimRules } from './claim-rules.js';
export { sourceOfSigner } from './signer-source.js';
export type { KnownSigner } from './external-jwt-signer-rows.js';
