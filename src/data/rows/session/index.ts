export * as sessions from './sessions.js';
export type { ServiceSession } from './sessions.js';
