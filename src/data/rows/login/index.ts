export * as failedLogins from './failed-logins.js';
export type {
  FailedLoginCount,
  FailedLoginGroup,
  FailedLoginOwner,
  FailedLogins,
  LoginMethod,
} from './failed-logins.js';
export * as hourlyLogins from './hourly-logins.js';
export type { HourlyLogins } from './hourly-logins.js';
export * as loginCounters from './login-counters.js';
export type { AttemptCounts } from './login-counters.js';
export { LOGIN_REFUSALS, type LoginRefusal, type TokenFault } from './login-refusal.js';
