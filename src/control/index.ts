export { ControlDoor, type ControlDoorOptions } from './control-door.js';
export { RouterControl, type RouterConnect } from './router-control.js';
export { routerOrders } from './router-orders.js';
export {
  TunnelerRefusal,
  type TunnelerIdentity,
  type TunnelerLogin,
  type TunnelerPort,
  type TunnelerSession,
} from './tunneler-port.js';
