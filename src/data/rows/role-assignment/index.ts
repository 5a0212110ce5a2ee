export * as roleAssignments from './role-assignment-rows.js';
export type { ReservedPrefix } from './reserved-prefix.js';
export type { ComingAttributes, DueAssignment } from './role-assignment-rows.js';
