import type { Socket } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { restHandler } from '../../../rest-compat/index.js';
import type { Config } from '../configuration.js';
import type { LiveEvents } from '../../network/events/index.js';
import {
  Admission,
  Executor,
  runMessage,
  Subscriptions,
  WebSocketDoor,
} from '../../graph/index.js';
import { httpApp, type HttpApp } from '../../edge/app.js';
import { OidcDoor, type OidcDoorOptions } from '../../edge/oidc/oidc-door.js';
import { DEVICES } from '../../edge/devices/device-interface.js';
import { DirectoryDoor } from '../../edge/directories/directory-door.js';
import { SCIM } from '../../edge/scim/scim-interface.js';
import { limitedUpgrade } from '../../edge/limited-upgrade.js';
import { ManagementDoor } from '../../edge/management-channel/management-door.js';
import { RequestLimits } from '../../requests/limits/index.js';
import type { ProcessMetrics, Traces } from '../../requests/observability/index.js';
import { issuerOf } from '../../trust/oidc/index.js';
import type { LiveKeys } from '../../trust/pki/index.js';
import { catalog } from '../../resources/index.js';
import type { Database } from '../../data/store/database.js';
import type { ModelStore } from '../../data/store/model-store.js';
import type { Assembly } from './assembly.js';
import type { NetworkModel } from './network-model.js';
import type { Siblings } from './siblings.js';
import { watchController } from './watch-controller.js';

/** The other processes of a controller count its requests so much later. */
const SPENDING_MILLIS = 50;

/** The entry points of a controller for clients. */
export interface Doors extends HttpApp {
  /** Accepts WebSockets. */
  readonly upgrade: WebSocketDoor['upgrade'];
  /** Prepares the stop: reports unhealthy, and closes each connection after its answer. */
  drain(): void;
  /** Ends all subscriptions, which would delay the end of the listener. */
  endSubscriptions(): Promise<void>;
  /** Connections with a request that is not answered yet. */
  busySockets(): (Socket | null)[];
  readonly limits: RequestLimits;
  readonly executor: Executor;
  /** The metrics of this process. */
  metrics(): Promise<ProcessMetrics>;
}

export interface DoorOptions extends NetworkModel, Assembly {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly database: Database;
  readonly store: ModelStore;
  readonly keys: LiveKeys;
  /** Whether the last heartbeat was stored. */
  readonly isWriting: () => boolean;
  readonly schema: GraphQLSchema;
  readonly traces: Traces | undefined;
  readonly siblings: Siblings;
  readonly liveEvents: LiveEvents;
}

/** Builds GraphQL and REST on one graph, with limits and observers. */
export async function buildDoors(options: DoorOptions): Promise<Doors> {
  const { config, log, now, model, store, keys, changeListeners } = options;
  const { contexts, facts, rows, signers } = options;
  const executor = new Executor(options.schema);
  const onUnexpected = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  };
  const watch = watchController({
    ...options,
    policies: model.policies,
    keys: () => keys.current,
    metricsOfOthers: options.siblings.metrics,
  });
  changeListeners.push((changes) => {
    watch.metrics.delivered(changes, now());
  });
  const { schema } = executor;
  const limits = sharedLimits(config, options.siblings);
  const rest = restHandler(rows, executor, catalog, { contexts, limits, onUnexpected });
  const admission = new Admission({ schema, contexts, limits });
  const graph = { executor, admission, contexts, limits, onUnexpected };
  const subscriptions = new Subscriptions({ ...graph, schema, store });
  const sockets = new WebSocketDoor(subscriptions, limits, onUnexpected);
  const management = new ManagementDoor({
    subscriptions,
    limits,
    liveEvents: options.liveEvents,
    runMessage: runMessage(graph),
    onUnknownType: (type) => {
      log.warn({ type }, 'a client asks for events of an unknown type');
    },
    onUnexpected,
  });
  return {
    ...(await httpApp({
      ...{ config, facts, ...graph, subscriptions, rest, rows, signers, ...watch },
      monitorLimits: new RequestLimits(config.limits),
      oidc: oidcDoor(options, graph),
      directories: [SCIM, DEVICES].map((face) => new DirectoryDoor(graph, face)),
    })),
    upgrade: limitedUpgrade(limits, (request, ...connection) => {
      const door = management.serves(request) ? management : sockets;
      door.upgrade(request, ...connection);
    }),
    drain: () => {
      watch.health.stop();
      watch.observer.closeConnections();
    },
    endSubscriptions: async () => {
      // The sockets first, so that their clients get the reason.
      const closed = Promise.all([sockets.stop(), management.stop()]);
      subscriptions.stop();
      await closed;
    },
    busySockets: () => watch.observer.sockets,
    limits,
    executor,
    metrics: () => watch.metrics.ofThisProcess(),
  };
}

/** The OpenID provider; undefined if it is switched off. */
function oidcDoor(
  { config: { oidc, advertise }, keys }: DoorOptions,
  graph: Pick<OidcDoorOptions, 'contexts' | 'limits' | 'onUnexpected'>,
): OidcDoor | undefined {
  if (oidc.mode === 'off') return undefined;
  const names = {
    certificate: () => keys.current.server.leaf,
    hosts: [...oidc.hosts, advertise.host.toLowerCase()],
  };
  return new OidcDoor({
    ...graph,
    settings: {
      redirectUris: oidc.redirects,
      postLogoutUris: oidc.redirects,
      accessSeconds: Math.floor(oidc.accessMs / 1000),
      refreshSeconds: Math.floor(oidc.refreshMs / 1000),
    },
    issuerOf: (host) => issuerOf(host, names),
  });
}

/** Makes the limits of this process; its requests in work are its share of those of the controller. */
function sharedLimits({ limits, workers }: Config, { spent }: Siblings): RequestLimits {
  const concurrency = Math.ceil(limits.concurrency / workers);
  const shared = new RequestLimits({ ...limits, concurrency }, undefined, workers > 1);
  if (workers > 1) {
    setInterval(() => {
      const spending = shared.newSpending();
      if (spending) spent(spending);
    }, SPENDING_MILLIS).unref();
  }
  return shared;
}
