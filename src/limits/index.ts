export { senderOf } from './address.js';
export {
  CONNECTION_OPTIONS,
  limitConnections,
  type ConnectionLimits,
} from './connection-limits.js';
export { currentRequest, type LimitedRequest } from './limited-request.js';
export { RequestLimits, type LimitSettings, type Sender } from './request-limits.js';
