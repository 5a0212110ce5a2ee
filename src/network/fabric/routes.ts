import { tagsOf, type Circuit } from './circuit.js';
import type { RouteOrder } from './router-port.js';

interface RouteOptions {
  readonly attempt: number;
  /** The connection to the host; without it the last router keeps the one that it has. */
  readonly host?: {
    readonly destination: string;
    readonly peerData: ReadonlyMap<number, Buffer>;
  };
}

/** The parts of all routers in a circuit, by router id. */
export function routesOf(circuit: Circuit, options: RouteOptions): Map<string, RouteOrder> {
  const { id: circuitId, routerIds, linkIds, ingress, egress, binding } = circuit;
  const { attempt, host } = options;
  const last = routerIds.length - 1;
  return new Map(
    routerIds.map((routerId, i) => {
      const before: End = i === 0 ? [ingress, 'Start'] : [linkIds[i - 1] ?? '', 'Link'];
      const after: End = i === last ? [egress, 'End'] : [linkIds[i] ?? '', 'Link'];
      const order: RouteOrder = {
        circuitId,
        attempt,
        forwards: [forward(before, after), forward(after, before)],
        tags: tagsOf(circuit),
        ...(host && i === last
          ? {
              egress: {
                binding,
                address: egress,
                destination: host.destination,
                peerData: Object.fromEntries(host.peerData),
              },
            }
          : {}),
      };
      return [routerId, order];
    }),
  );
}

type End = readonly [address: string, type: 'Start' | 'End' | 'Link'];

const forward = ([srcAddress]: End, [dstAddress, dstType]: End) => ({
  srcAddress,
  dstAddress,
  dstType,
});
