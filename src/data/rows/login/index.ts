export * as failedLogins from './failed-login-rows.js';
export type {
  FailedLoginCount,
  FailedLoginGroup,
  FailedLoginOwner,
  FailedLogins,
  LoginMethod,
} from './failed-login-rows.js';
export * as hourlyLogins from './hourly-login-rows.js';
export type { HourlyLogins } from './hourly-login-rows.js';
export * as loginCounters from './login-counter-rows.js';
export type { AttemptCounts } from './login-counter-rows.js';
export { LOGIN_REFUSALS, type LoginRefusal, type TokenFault } from './login-refusal.js';
