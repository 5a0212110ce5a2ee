export * as authorizationRequests from './authorization-request-rows.js';
export type {
  AnsweredRequest,
  AuthorizationRequest,
  CodeGrant,
  CodeOwner,
  NewAuthorizationRequest,
} from './authorization-request-rows.js';
export * as deviceRequests from './device-request-rows.js';
export type { DeviceRequest } from './device-request-rows.js';
export * as usedRefreshTokens from './used-refresh-token-rows.js';
