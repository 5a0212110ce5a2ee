export * as directories from './directory-rows.js';
export type { ReservedPrefix, TokenOwner } from './directory-rows.js';
