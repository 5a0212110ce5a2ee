export * as roleAssignments from './role-assignment-rows.js';
export { ownsOneOf, PREFIX_OWNER, reservedBy } from './reserved-prefix.js';
export type { PrefixOwner, ReservedPrefix } from './reserved-prefix.js';
export type { AssignedPeriod, ComingAttributes, DueAssignment } from './role-assignment-rows.js';
