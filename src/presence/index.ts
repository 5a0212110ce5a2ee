export { CLIENT_FINGERPRINTS } from './api-session-table.js';
export { clientStatusSql, isClientSql } from './client-table.js';
export { goDuration } from './go-duration.js';
export { failedAnswer, NO_ANSWER_IN_TIME, type NodeAnswer } from './inspection-table.js';
export type { Inspector } from './inspections.js';
export type { LinkListener, RouterFace, RouterHello, RouterVersion } from './router-report.js';
export type { ClientEvent, ConnectionStatus, RouterReport } from './router-report.js';
export { isConnectedSql } from './presence-table.js';
export {
  TRACE_CHANNELS,
  type DisconnectReason,
  type IdentityTrace,
  type KnownApiSession,
  type RouterCommands,
  type TraceChannel,
} from './router-commands.js';
export type { RouterConnection } from './router-connection.js';
export { RouterPresence, type PresenceOptions } from './router-presence.js';
export { followRouters, type RouterStatus, type RouterStatusFollower } from './router-status.js';
