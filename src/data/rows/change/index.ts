export * as changes from './change-rows.js';
export type { FoundChange, NamingMember } from './change-rows.js';
export * as history from './history-rows.js';
export type { StateRow } from './history-rows.js';
