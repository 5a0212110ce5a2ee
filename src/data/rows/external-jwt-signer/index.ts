export * as externalJwtSigners from './external-jwt-signer-rows.js';
export type { KnownSigner } from './external-jwt-signer-rows.js';
