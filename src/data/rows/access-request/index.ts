export * as accessOffers from './access-offer-rows.js';
export type { EmergencyUse } from './access-request-rows.js';
export * as accessRequests from './access-request-rows.js';
