export * as externalJwtSigners from './external-jwt-signers.js';
export type { KnownSigner } from './external-jwt-signers.js';
