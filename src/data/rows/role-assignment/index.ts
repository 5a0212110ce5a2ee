export * as roleAssignments from './role-assignment-rows.js';
export type { ComingAttributes, DueAssignment } from './role-assignment-rows.js';
