export type { ClientEvent } from './client-changes.js';
export { goDuration } from './go-duration.js';
export type { Inspector } from './inspections.js';
export { failedAnswer, NO_ANSWER_IN_TIME, type NodeAnswer } from './node-answer.js';
export type { DisconnectReason, RouterCommands } from './router-commands.js';
export type { RouterConnection } from './router-connection.js';
export { RouterPresence, type PresenceOptions } from './router-presence.js';
export { followRouters, type RouterStatus, type RouterStatusFollower } from './router-status.js';
export { ValidationFollower } from './validation-follower.js';
export {
  validationAnswer,
  type NodeResult,
  type Validations,
  type ValidationStep,
  type ValidationTask,
} from './validations.js';
