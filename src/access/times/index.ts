export { checkedTimes } from './check-times.js';
export { forceAt, type Force, type PolicyTimes } from './force-at.js';
export { checkIdentityTimes, timedStateAt, type IdentityTimes } from './identity-times.js';
export { moveDueIdentities } from './move-due-identities.js';
export { moveDuePolicies, type MovedPolicies } from './move-due-policies.js';
export { WeeklyWindow } from './weekly-window.js';
