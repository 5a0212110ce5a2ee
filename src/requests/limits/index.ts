export { senderOf } from './address.js';
export {
  CONNECTION_OPTIONS,
  limitConnections,
  limitMessages,
  type ConnectionLimits,
  type Receiver,
} from './connection-limits.js';
export { limitOf, type LimitedRequest } from './limited-request.js';
export { RequestLimits, type LimitSettings, type Sender, type Spending } from './request-limits.js';
