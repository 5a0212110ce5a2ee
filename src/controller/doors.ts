import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { restHandler } from '../../rest-compat/index.js';
import type { Config } from '../config.js';
import { Admission, Executor, Subscriptions, WebSocketDoor } from '../graph/index.js';
import { httpApp } from '../http/app.js';
import { limitedUpgrade } from '../http/limited-upgrade.js';
import { RequestLimits } from '../limits/index.js';
import type { Traces } from '../observability/index.js';
import type { LiveKeys } from '../pki/index.js';
import { catalog } from '../resources/index.js';
import type { Database } from '../store/database.js';
import type { ModelStore } from '../store/model-store.js';
import type { Assembly } from './assembly.js';
import type { NetworkModel } from './network-model.js';
import { watchController } from './watch-controller.js';

/** The entry points of a controller for clients. */
export interface Doors {
  readonly app: RequestListener;
  /** Accepts WebSockets. */
  readonly upgrade: WebSocketDoor['upgrade'];
  /** Prepares the stop: reports unhealthy, and closes each connection after its answer. */
  drain(): void;
  /** Ends all subscriptions, which would delay the end of the listener. */
  endSubscriptions(): Promise<void>;
  /** Connections with a request that is not answered yet. */
  busySockets(): (Socket | null)[];
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
}

/** Builds GraphQL and REST on one graph, with limits and observers. */
export async function buildDoors(options: DoorOptions): Promise<Doors> {
  const { config, log, now, model, store, keys, changeListeners, contexts, facts, rows } = options;
  const executor = new Executor(options.schema);
  const onUnexpected = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  };
  const watch = watchController({
    ...options,
    policies: model.policies,
    keys: () => keys.current,
  });
  changeListeners.push((changes) => {
    watch.metrics.delivered(changes, now());
  });
  const { schema } = executor;
  const limits = new RequestLimits(config.limits);
  const rest = restHandler(rows, executor, catalog, { contexts, limits, onUnexpected });
  const admission = new Admission({ schema, contexts, limits });
  const graph = { executor, admission, contexts, limits, onUnexpected };
  const subscriptions = new Subscriptions({ ...graph, schema, store });
  const sockets = new WebSocketDoor(subscriptions, limits, onUnexpected);
  return {
    app: await httpApp({ config, facts, ...graph, subscriptions, rest, ...watch }),
    upgrade: limitedUpgrade(limits, sockets.upgrade),
    drain: () => {
      watch.health.stop();
      watch.observer.closeConnections();
    },
    endSubscriptions: () => {
      // The sockets first, so that their clients get the reason.
      const closed = sockets.stop();
      subscriptions.stop();
      return closed;
    },
    busySockets: () => watch.observer.sockets,
  };
}
