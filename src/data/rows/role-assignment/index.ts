export * as roleAssignments from './role-assignment-rows.js';
export type { DueAssignment } from './role-assignment-rows.js';
