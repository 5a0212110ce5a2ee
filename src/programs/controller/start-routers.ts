import type { Logger } from 'pino';
import type { Config } from '../configuration.js';
import {
  ControlDoor,
  RouterControl,
  routerOrders,
  RouterTraces,
  type RouterTracesOptions,
} from '../../network/control/index.js';
import { controllers } from '../../data/rows/controller/index.js';
import { judgeAccess } from '../../access/enforcement/index.js';
import { Fabric, type PostureJudge, type RouterPort } from '../../network/fabric/index.js';
import type { Receiver } from '../../requests/limits/index.js';
import { openRouterEntrance } from './router-entrance.js';
import { every } from './every.js';
import { controllerInspector } from './inspect-controller.js';
import { RouterLease } from './router-lease.js';
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
  /** Serves a connection of a router that another controller passes on. */
  readonly receivePassage: Receiver;
  stop(): Promise<void>;
}

const SMART_MILLIS = 60_000;
const LEASE_FAILED = 'the lease of the routers could not be acquired or renewed';
const SMART_FAILED = 'circuits could not be moved to cheaper paths';
const FABRIC_FAILED = 'terminators or circuits could not be stored';
const TRACES_FAILED = 'routers could not be told what to trace';
const TAKEN_OVER = 'another controller serves the routers';
const STOPPING = 'the controller stops';

/** Starts to serve routers, as soon as no other controller does. */
export async function startRouters(options: RoutersOptions): Promise<Routers> {
  const { config, controller, log, now } = options;
  const { store, presence, facts, contexts, sessions, accessTokens, executor, events } = controller;
  const { version, revision, buildDate } = facts;
  const context = () => contexts.make('', undefined);
  const orders = routerOrders(() => routers);
  const fabric = fabricOf(options, orders, () => lease.isOurs());
  const isOwner = (): boolean => lease.isServing();
  controller.network.access.losses.follow((lost) => {
    fabric.postureLost(lost).catch(warn(log, FABRIC_FAILED));
  });
  const dataModel = startDataModel({ controller, servesRouters: isOwner, log, now });
  const traces = tracesOf(options, isOwner, () => routers.connected);
  const routers: RouterControl = new RouterControl({
    ...{ store, presence, now, version, fabric, context, traces, log },
    dataModel: dataModel.source,
    tunnelers: new RouterTunnelers({ contexts, executor, sessions, store, now }),
    sessionOf: (token) => accessTokens.sessionOf(token),
    onConnect: events.applyConnect,
    onClients: events.applyClients,
  });
  const lease: RouterLease = leaseOf(options, { fabric, routers }, () => {
    entrance.move();
  });
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
  const entrance = openRouterEntrance({ door, lease, keys: controller.keys, log });
  await lease.start();
  return {
    receive: entrance.receive,
    receivePassage: entrance.receivePassage,
    async stop() {
      lease.end();
      entrance.stop();
      clearInterval(smart);
      dataModel.stop();
      routers.endAll(STOPPING);
      await fabric.stop();
      await lease.release();
    },
  };
}

const fabricOf = (
  { config, controller, log, now }: RoutersOptions,
  routers: RouterPort,
  isOwner: () => boolean,
): Fabric => {
  const { store, contexts, network, events, accessUses } = controller;
  return new Fabric({
    ...{ store, now, routers, isOwner },
    context: () => contexts.make('', undefined),
    index: network.model.policies,
    judge: postureJudge(controller.network, now),
    random: Math.random,
    keepUsageMillis: config.usageKeepMs,
    onFact: events.applyFact,
    onReport: events.applyReport,
    onUse: accessUses.record,
    onError: warn(log, FABRIC_FAILED),
  });
};

const tracesOf = (
  { controller: { store, events }, log, now }: RoutersOptions,
  isServing: () => boolean,
  routers: RouterTracesOptions['routers'],
): RouterTraces => {
  const traces = new RouterTraces({
    ...{ routers, isServing, now },
    matching: (pattern, ids) => controllers.nodesMatching(store, pattern, ids),
    onTrace: events.applyTrace,
    onError: warn(log, TRACES_FAILED),
  });
  events.routerTraces = traces;
  return traces;
};

/** Judges posture by what the controller has. */
const postureJudge = (
  { model, access: { checks, posture } }: Controller['network'],
  now: () => Date,
): PostureJudge => {
  const dependencies = { index: model.policies, checks, posture };
  return async (uses) => {
    const access = await judgeAccess(dependencies, uses, now().getTime());
    return access.map((each) => each?.isPassing === true);
  };
};

const leaseOf = (
  { config, controller, log }: RoutersOptions,
  { fabric, routers }: { readonly fabric: Fabric; readonly routers: RouterControl },
  onLook: () => void,
): RouterLease =>
  new RouterLease({
    database: controller.database,
    store: controller.store,
    address: config.peerAddress,
    onGain: (isContinued) => (isContinued ? fabric.storeLostState() : fabric.load()),
    onRenewal: () => fabric.storeLostState(),
    onLoss: () => {
      routers.endAll(TAKEN_OVER);
    },
    onLook,
    onError: warn(log, LEASE_FAILED),
  });

const startSmartRerouting = (fabric: Fabric, log: Logger): NodeJS.Timeout =>
  every(SMART_MILLIS, () => fabric.moveDearCircuits(), warn(log, SMART_FAILED));
