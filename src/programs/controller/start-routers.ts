import { createServer, type TLSSocket } from 'node:tls';
import type { Logger } from 'pino';
import type { Config } from '../configuration.js';
import { ControlDoor, RouterControl, routerOrders } from '../../network/control/index.js';
import { Fabric } from '../../network/fabric/index.js';
import type { Receiver } from '../../requests/limits/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import { Leases } from '../../data/store/leases.js';
import { CONTROL_PROTOCOL } from './shared-port.js';
import { RouterAdmission } from './router-admission.js';
import { every } from './every.js';
import { controllerInspector } from './inspect-controller.js';
import { secureOptions } from './listener.js';
import { RouterTunnelers } from './router-tunnelers.js';
import type { Controller } from './start-controller.js';
import { startDataModel } from './start-data-model.js';
import { warn } from './warn.js';

export interface RoutersOptions {
  readonly config: Config;
  readonly controller: Controller;
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
const SMART_MILLIS = 60_000;
const LEASE_FAILED = 'the lease of the routers could not be renewed';
const SMART_FAILED = 'circuits could not be moved to cheaper paths';
const FABRIC_FAILED = 'terminators or circuits could not be stored';
const TAKEN_OVER = 'another controller serves the routers';
const STOPPING = 'the controller stops';

/** Starts to serve routers, as soon as no other controller does. */
export async function startRouters({
  config,
  controller,
  log,
  now,
}: RoutersOptions): Promise<Routers> {
  const { store, presence, facts, network, contexts, sessions, executor, events } = controller;
  const { version, revision, buildDate } = facts;
  const context = () => contexts.make('', undefined);
  const fabric = new Fabric({
    ...{ store, context, now },
    index: network.model.policies,
    routers: routerOrders(() => routers),
    random: Math.random,
    keepUsageMillis: config.usageKeepMs,
    onFact: events.applyFact,
    onReport: events.applyReport,
    onUse: controller.accessUses.record,
    onError: warn(log, FABRIC_FAILED),
  });
  let servesRouters = (): boolean => false;
  const dataModel = startDataModel({ controller, servesRouters: () => servesRouters(), log, now });
  const routers: RouterControl = new RouterControl({
    ...{ store, presence, now, version, fabric, context, log },
    dataModel: dataModel.source,
    tunnelers: new RouterTunnelers({ contexts, executor, sessions, store, now }),
    onConnect: events.applyConnect,
    onClients: events.applyClients,
  });
  const { isOwner, ...ownership } = await startOwnership(store, { fabric, routers, log });
  servesRouters = isOwner;
  presence.attachInspector(
    controllerInspector({
      ...{ id: controller.id, config, store, presence, fabric, isOwner },
      dataModel: dataModel.source,
    }),
  );
  const smart = config.smartRerouting ? startSmartRerouting(fabric, log) : undefined;
  const door = new ControlDoor({
    presence,
    routers,
    keys: () => controller.keys.current,
    version: { version, revision, buildDate, os: process.platform, arch: process.arch },
    capabilities: config.routerCapabilities,
    isOwner,
    now,
    log,
  });
  return {
    receive: receiverOf(door, controller),
    async stop() {
      ownership.end();
      clearInterval(smart);
      dataModel.stop();
      routers.endAll(STOPPING);
      await fabric.stop();
      await ownership.release();
    },
  };
}

const startSmartRerouting = (fabric: Fabric, log: Logger): NodeJS.Timeout =>
  every(SMART_MILLIS, () => fabric.moveDearCircuits(), warn(log, SMART_FAILED));

interface Ownership {
  readonly isOwner: () => boolean;
  /** Serves no router from now on. */
  readonly end: () => void;
  /** Lets another controller serve the routers. */
  readonly release: () => Promise<void>;
}

/** Holds the lease of the routers, or waits for it. */
async function startOwnership(
  store: Store,
  { fabric, routers, log }: { fabric: Fabric; routers: RouterControl; log: Logger },
): Promise<Ownership> {
  const leases = new Leases(store, warn(log, LEASE_FAILED));
  let isOwner = false;
  const hold = async (): Promise<void> => {
    const hasLease = await leases.hold(LEASE);
    // Routers are accepted when the circuits of the earlier owner are known.
    if (hasLease) await (isOwner ? fabric.storeLostState() : fabric.load());
    if (!hasLease && isOwner) routers.endAll(TAKEN_OVER);
    isOwner = hasLease;
  };
  await hold().catch(warn(log, LEASE_FAILED));
  const holding = every(HOLD_MILLIS, hold, warn(log, LEASE_FAILED));
  return {
    isOwner: () => isOwner,
    end() {
      clearInterval(holding);
      isOwner = false;
    },
    release: () => leases.stop(),
  };
}

function receiverOf(door: ControlDoor, { keys }: Controller): Receiver {
  const server = createServer(
    {
      ...secureOptions(keys.current),
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: [CONTROL_PROTOCOL],
      handshakeTimeout: HANDSHAKE_MILLIS,
    },
    (socket: TLSSocket) => {
      void door.receive(socket).finally(() => {
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
  return (socket, onClosed) => {
    socket.once('close', onClosed);
    admission.add(socket);
  };
}
