export * as changes from './changes.js';
export type { FoundChange, NamingMember } from './changes.js';
export * as history from './history.js';
export type { StateRow } from './history.js';
