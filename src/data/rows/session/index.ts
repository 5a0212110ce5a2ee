export * as sessions from './session-rows.js';
export type { ServiceSession } from './session-rows.js';
