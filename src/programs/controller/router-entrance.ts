import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { endsOf, type ControlDoor, type NetworkEnd } from '../../network/control/index.js';
import type { Receiver } from '../../requests/limits/index.js';
import type { LiveKeys } from '../../trust/pki/index.js';
import { HeldConnections } from './held-connections.js';
import { secureOptions } from './listener.js';
import { PassedConnections } from './passed-connections.js';
import { RouterAdmission } from './router-admission.js';
import type { RouterLease } from './router-lease.js';
import { CONTROL_PROTOCOL } from './shared-port.js';

export interface RouterEntranceOptions {
  readonly door: ControlDoor;
  readonly lease: Pick<RouterLease, 'isServing' | 'ownerAddress'>;
  readonly keys: LiveKeys;
  readonly log: Logger;
}

/** The ways of routers to the controller that serves them. */
export interface RouterEntrance {
  /** Receives the connection of a router. */
  readonly receive: Receiver;
  /** Receives a connection that another controller passes on. */
  readonly receivePassage: Receiver;
  /** Serves or passes on what waits; call it when the lease may have changed. */
  readonly move: () => void;
  readonly stop: () => void;
}

const HANDSHAKE_MILLIS = 10_000;

export function openRouterEntrance({
  door,
  lease,
  keys,
  log,
}: RouterEntranceOptions): RouterEntrance {
  const { isServing: isOwner, ownerAddress } = lease;
  const secretKey = (): Buffer => keys.current.secretKey;
  const serve = serverOf(door, keys, (socket) => passed.routerOf(socket));
  const passed = new PassedConnections({ isOwner, serve, secretKey });
  const held = new HeldConnections({ isOwner, ownerAddress, serve, secretKey, log });
  return {
    receive: held.receive,
    receivePassage: passed.receive,
    move: () => {
      held.move();
    },
    stop: () => {
      held.stop();
    },
  };
}

/** Makes the handshakes of routers, and gives their connections to the door. */
function serverOf(
  door: ControlDoor,
  keys: LiveKeys,
  routerOf: (socket: TLSSocket) => NetworkEnd | undefined,
): (socket: Socket) => void {
  const server = createServer(
    {
      ...secureOptions(keys.current),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: [CONTROL_PROTOCOL],
      handshakeTimeout: HANDSHAKE_MILLIS,
    },
    (socket: TLSSocket) => {
      const ends = endsOf(socket);
      void door
        .receive(socket, { ...ends, router: routerOf(socket) ?? ends.router })
        .finally(() => {
          admission.end(socket);
        });
    },
  );
  keys.onChange((next) => {
    server.setSecureContext(secureOptions(next));
  });
  const admission = new RouterAdmission((socket) => {
    server.emit('connection', socket);
  });
  return (socket) => {
    admission.add(socket);
  };
}
