import { createServer, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import { ControlDoor, RouterControl, routerOrders } from '../control/index.js';
import { Fabric } from '../fabric/index.js';
import type { Receiver } from '../limits/index.js';
import { Leases } from '../store/leases.js';
import { CONTROL_PROTOCOL } from './shared-port.js';
import { every } from './every.js';
import { secureOptions } from './listener.js';
import { RouterTunnelers } from './router-tunnelers.js';
import type { ServingProcess } from './start-controller.js';
import { warn } from './warn.js';

export interface RoutersOptions {
  readonly controller: ServingProcess;
  readonly log: Logger;
  readonly now: () => Date;
}

/** The part of a controller that serves routers. */
export interface Routers {
  /** Serves a connection of a router. */
  readonly receive: Receiver;
  stop(): Promise<void>;
}

const HANDSHAKE_MILLIS = 10_000;
/** One controller serves all routers: the one with this lease. */
const LEASE = 'routers';
/** Well below the life of a lease. */
const HOLD_MILLIS = 3_000;
const LEASE_FAILED = 'the lease of the routers could not be renewed';
const FABRIC_FAILED = 'terminators or circuits could not be stored';
const TAKEN_OVER = 'another controller serves the routers';
const STOPPING = 'the controller stops';

/** Starts to serve routers, as soon as no other controller does. */
export async function startRouters({ controller, log, now }: RoutersOptions): Promise<Routers> {
  const { store, presence, keys, facts, network, contexts, sessions, executor } = controller;
  const { version, revision, buildDate } = facts;
  const context = () => contexts.make('', undefined);
  const fabric = new Fabric({
    store,
    index: network.model.policies,
    routers: routerOrders(() => routers),
    context,
    now,
    random: Math.random,
    onError: warn(log, FABRIC_FAILED),
  });
  const routers: RouterControl = new RouterControl({
    store,
    presence,
    now,
    version,
    fabric,
    context,
    tunnelers: new RouterTunnelers({ contexts, executor, sessions, store, now }),
    log,
  });
  const leases = new Leases(store, warn(log, LEASE_FAILED));
  let isOwner = false;
  const hold = async (): Promise<void> => {
    const hasLease = await leases.hold(LEASE);
    // Routers are accepted when the circuits of the earlier owner are known.
    if (hasLease && !isOwner) await fabric.load();
    if (!hasLease && isOwner) routers.endAll(TAKEN_OVER);
    isOwner = hasLease;
  };
  await hold().catch(warn(log, LEASE_FAILED));
  const holding = every(HOLD_MILLIS, hold, warn(log, LEASE_FAILED));
  const door = new ControlDoor({
    presence,
    routers,
    keys: () => keys.current,
    version: { version, revision, buildDate, os: process.platform, arch: process.arch },
    isOwner: () => isOwner,
    now,
    log,
  });
  return {
    receive: receiverOf(door, controller),
    async stop() {
      clearInterval(holding);
      isOwner = false;
      routers.endAll(STOPPING);
      await fabric.stop();
      await leases.stop();
    },
  };
}

function receiverOf(door: ControlDoor, { keys }: ServingProcess): Receiver {
  const server = createServer(
    {
      ...secureOptions(keys.current),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: [CONTROL_PROTOCOL],
      handshakeTimeout: HANDSHAKE_MILLIS,
    },
    (socket: TLSSocket) => {
      void door.receive(socket);
    },
  );
  keys.onChange((next) => {
    server.setSecureContext(secureOptions(next));
  });
  return (socket, onClosed) => {
    socket.once('close', onClosed);
    server.emit('connection', socket);
  };
}
