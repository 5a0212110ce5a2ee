export * as claimedIdentities from './claimed-identity-rows.js';
export type { ClaimedIdentity } from './claimed-identity-rows.js';
export * as idleIdentities from './idle-identity-rows.js';
export type { IdleIdentity } from './idle-identity-rows.js';
export * as identities from './identity-rows.js';
export {
  HAS_RIGHTS,
  HELD_IDENTITY,
  type HeldIdentity,
  type IdentityCreator,
  type IdentityKey,
  type IdentityKeys,
} from './identity-rows.js';
export { isDisabledSql, loginRulesSql, type LoginRules } from './login-rules.js';
export * as secondFactors from './second-factor-rows.js';
export type { SecondFactor } from './second-factor-rows.js';
export * as timedIdentities from './timed-identity-rows.js';
export type { EndingIdentity } from './timed-identity-rows.js';
