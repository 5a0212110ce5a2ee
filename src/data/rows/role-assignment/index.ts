export * as roleAssignments from './role-assignment-rows.js';
export * as prefixOwners from './reserved-prefix.js';
export type { ReservedPrefix } from './reserved-prefix.js';
export type { AssignedPeriod, ComingAttributes, DueAssignment } from './role-assignment-rows.js';
