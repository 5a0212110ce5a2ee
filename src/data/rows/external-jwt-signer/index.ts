export * as externalJwtSigners from './external-jwt-signer-rows.js';
export { sourceOfSigner } from './signer-source.js';
export type { KnownSigner } from './external-jwt-signer-rows.js';
