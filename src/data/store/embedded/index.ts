export { ensureDatabase, withDatabase } from './ensure-database.js';
export type { EmbeddedLog } from './log.js';
export { runningServer } from './running-server.js';
export { startEmbedded, type EmbeddedOptions, type EmbeddedServer } from './embedded-server.js';
