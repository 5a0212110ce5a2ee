export { ensureDatabase, withDatabase } from './database.js';
export type { EmbeddedLog } from './log.js';
export { runningServer } from './running-server.js';
export { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './server.js';
