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

/** What clients reach of a controller. */
export interface Doors {
  readonly app: RequestListener;
  /** Takes WebSockets. */
  readonly upgrade: WebSocketDoor['upgrade'];
  /** It is about to stop: calls itself unhealthy, and every answer ends its connection. */
  drain(): void;
  /** Ends all subscriptions, which would hold up the end of the listener. */
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
  /** Whether the last sign of life could be stored. */
  readonly isWriting: () => boolean;
  readonly schema: GraphQLSchema;
  readonly traces: Traces | undefined;
}

/** GraphQL and REST on one graph, with limits before it and observers around it. */
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
      // The sockets first, so that they are told why.
      const closed = sockets.stop();
      subscriptions.stop();
      return closed;
    },
    busySockets: () => watch.observer.sockets,
  };
}
