import type { RouterConnect } from '../control/index.js';
import type { NetworkEvent } from './network-event.js';

/** The event `connect` of a router. */
export function routerConnectEvent(
  { routerId, routerAddress, controllerAddress }: RouterConnect,
  { at, controllerId }: { readonly at: Date; readonly controllerId: string },
): NetworkEvent {
  const members = {
    src_type: 'router',
    dst_type: 'ctrl',
    src_id: routerId,
    src_addr: routerAddress,
    dst_id: controllerId,
    dst_addr: controllerAddress,
  };
  return { type: 'connect', at, members };
}
