export * as expiries from './expiries.js';
export type { Expiry, ExpiryWindow, StoredExpiryKind } from './expiries.js';
