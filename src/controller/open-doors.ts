import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { restHandler, restRows } from '../../rest-compat/index.js';
import { AccessWatch } from '../access/index.js';
import { assembleModules, type Assembly, type AssemblyParts } from './assembly.js';
import { startChangeSink } from './start-change-sink.js';
import { startChangeUpkeep } from './change-upkeep.js';
import type { Config } from '../config.js';
import type { Followed } from './follow-model.js';
import {
  Admission,
  buildGraph,
  Executor,
  operations,
  Subscriptions,
  WebSocketDoor,
} from '../graph/index.js';
import { httpApp } from '../http/app.js';
import { limitedUpgrade } from '../http/limited-upgrade.js';
import type { Cursor } from '../kernel/request/store-port.js';
import { RequestLimits } from '../limits/index.js';
import type { LiveKeys } from '../pki/index.js';
import type { Traces } from '../observability/index.js';
import { startPresenceUpkeep } from './presence-upkeep.js';
import { catalog } from '../resources/index.js';
import { startSessionUpkeep } from './session-upkeep.js';
import type { Database } from '../store/database.js';
import { Leases } from '../store/leases.js';
import { warn } from './warn.js';
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

interface Parts extends Followed, Pick<AssemblyParts, 'store'> {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly database: Database;
  readonly keys: LiveKeys;
  readonly isWriting: () => boolean;
  readonly traces: Traces | undefined;
}

/** What has to be ended, last begun first. */
type Undo = () => Promise<void>;

const UPKEEP = 'activity and ends of sessions could not be stored';
const PRUNING = 'the change log could not be pruned';
const SINK = 'changes could not be written to OVERGRAPH_CHANGES_SINK';
const PRESENCE = 'what is known of routers could not be read or stored';
const LEASE = 'work that one controller does for all could not be kept';

/** Both doors on one graph, and the upkeep of what they serve. */
export async function openDoors(parts: Parts, undo: Undo[]): Promise<Doors> {
  const { config, log, now, model, store, keys, news } = parts;
  const rows = restRows(catalog);
  const assembly = assembleModules({ ...parts, rows });
  const { contexts, facts } = assembly;
  await startUpkeep(parts, assembly, undo);
  const executor = new Executor(await buildGraph(catalog, operations));
  const onUnexpected = (error: unknown, requestId: string): void => {
    log.error({ err: error, requestId }, 'a request failed unexpectedly');
  };
  const seen = watchController({
    ...parts,
    policies: model.policies,
    facts,
    keys: () => keys.current,
  });
  news.push((changes) => {
    seen.metrics.delivered(changes, now());
  });
  const { schema } = executor;
  const limits = new RequestLimits(config.limits);
  const rest = restHandler(rows, executor, catalog, { contexts, limits, onUnexpected });
  const admission = new Admission({ schema, contexts, limits });
  const graph = { executor, admission, contexts, limits, onUnexpected };
  const subscriptions = new Subscriptions({ ...graph, schema, store });
  const sockets = new WebSocketDoor(subscriptions, limits, onUnexpected);
  return {
    app: await httpApp({ config, facts, ...graph, subscriptions, rest, ...seen }),
    upgrade: limitedUpgrade(limits, sockets.upgrade),
    drain: () => {
      seen.health.stop();
      seen.observer.closeConnections();
    },
    endSubscriptions: () => {
      // The sockets first, so that they are told why.
      const closed = sockets.stop();
      subscriptions.stop();
      return closed;
    },
    busySockets: () => seen.observer.sockets,
  };
}

/** Begins to follow the change log, and to do what follows from it and from time. */
async function startUpkeep(parts: Parts, assembly: Assembly, undo: Undo[]): Promise<void> {
  const { config, log, store, model, access, feed } = parts;
  const { contexts, presence, integrity } = assembly;
  const watch = new AccessWatch(store, model.policies, access, () => contexts.make('', undefined));
  undo.push(() => integrity.stop());
  const leases = new Leases(store, warn(log, LEASE));
  undo.push(() => leases.stop());
  await feed.start();
  undo.push(
    startSessionUpkeep({
      ...assembly,
      watch,
      leases,
      position: () => feed.position,
      timeoutMs: config.sessionTimeoutMs,
      onError: warn(log, UPKEEP),
    }),
  );
  undo.push(...keepChanges(parts, leases));
  undo.push(await startPresenceUpkeep(presence, leases, warn(log, PRESENCE)));
}

/** What becomes of the change log: it is pruned, and written out where that is asked for. */
function keepChanges({ config, log, now, feed, changeLog, store }: Parts, leases: Leases): Undo[] {
  const position = (): Cursor => feed.position;
  const onLost = (after: Cursor): void => {
    log.error({ after }, 'changes were pruned that had not been written to OVERGRAPH_CHANGES_SINK');
  };
  const pruning = { ...config.changes, store, leases, now, position };
  return [
    startChangeUpkeep({ ...pruning, onError: warn(log, PRUNING) }),
    startChangeSink({ config, log: changeLog, onError: warn(log, SINK), onLost }),
  ];
}
