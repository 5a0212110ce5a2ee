export * as expiries from './expiry-rows.js';
export type { Expiry, ExpiryWindow, StoredExpiryKind } from './expiry-rows.js';
