export * as claimedIdentities from './claimed-identities.js';
export type { ClaimedIdentity } from './claimed-identities.js';
export * as identities from './identities.js';
export { HAS_RIGHTS } from './identities.js';
export { isDisabledSql, loginRulesSql, type LoginRules } from './login-rules.js';
export * as secondFactors from './second-factors.js';
export type { SecondFactor } from './second-factors.js';
