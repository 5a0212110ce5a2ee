export type { RouterCapability } from './capabilities.js';
export { CONTENT, HEADER } from './content-types.js';
export { endsOf, type ConnectionEnds, type NetworkEnd } from './connection-ends.js';
export { ControlDoor, type ControlDoorOptions } from './control-door.js';
export { answerHeaders } from './answer-headers.js';
export { decodeFrame, encodeFrame, type Frame, type Headers } from './frame.js';
export { boolValue, textValue } from './header-values.js';
export { RouterControl, type RouterConnect } from './router-control.js';
export { RouterTraces, type RouterTracesOptions } from './router-traces.js';
export type { TraceToggleResult } from './trace-toggles.js';
export { routerOrders } from './router-orders.js';
export {
  TunnelerRefusal,
  type TunnelerIdentity,
  type TunnelerLogin,
  type TunnelerPort,
  type TunnelerSession,
} from './tunneler-port.js';
