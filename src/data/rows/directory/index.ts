export * as directories from './directory-rows.js';
export { sourceOf, type DirectoryRow, type TokenOwner } from './directory-rows.js';
export * as directoryGroups from './directory-group-rows.js';
export type { DirectoryGroupRow, GroupChoice } from './directory-group-rows.js';
export * as directoryUsers from './directory-user-rows.js';
export type { DirectoryUserRow, GroupOfUser, UserChoice } from './directory-user-rows.js';
