import type { Logger } from 'pino';
import { useRecording } from '../../data/rows/access-use/index.js';
import type { LoginObserver } from '../../trust/auth/index.js';
import type { Config } from '../configuration.js';
import type { EventSinkSettings, LiveEvents } from '../../network/events/index.js';
import { buildGraph, operations } from '../../graph/index.js';
import { productVersion } from '../../base/program-folder.js';
import { StartError } from '../../base/start-error.js';
import { openTraces, type Traces } from '../../requests/observability/index.js';
import { readSecretFile, type LiveKeys } from '../../trust/pki/index.js';
import { catalog } from '../../resources/index.js';
import { Database } from '../../data/store/database.js';
import type { NetworkRecord } from '../../data/store/network-record.js';
import { fillFollowing } from '../../data/store/fill-following.js';
import { migrate, newerMigrations } from '../../data/store/migrate.js';
import { ModelStore } from '../../data/store/model-store.js';
import type { RelayedFeed } from '../workers/index.js';
import { assembleModules, type Assembly } from './assembly.js';
import { bootstrap, passwordFile, type Bootstrapped } from './bootstrap.js';
import { ControllerEvents } from './controller-events.js';
import { controllerId } from './controller-id.js';
import { openKeys } from './controller-keys.js';
import { buildDoors, type Doors } from './doors.js';
import { startHeartbeat } from './heartbeat.js';
import { startKeyUpkeep, startSigning } from './key-upkeep.js';
import { readNetworkModel, type NetworkModel } from './network-model.js';
import { progress } from './progress.js';
import { noSiblings, type Siblings } from './siblings.js';
import type { Stops } from './stops.js';
import { startUpkeep, startWorkerUpkeep } from './upkeep.js';
import { COMPATIBLE_VERSION } from './version.js';
import { warn } from './warn.js';

/** A process of a controller, without its listener. */
export interface ServingProcess
  extends
    Doors,
    Pick<Assembly, 'presence' | 'facts' | 'contexts' | 'sessions' | 'accessTokens' | 'accessUses'> {
  readonly keys: LiveKeys;
  readonly database: Database;
  readonly store: ModelStore;
  readonly network: NetworkModel;
  stop(): Promise<void>;
}

/** A controller without its listener. */
export interface Controller extends ServingProcess, Bootstrapped {
  readonly id: string;
  /** Whether the last heartbeat was stored. */
  readonly isWriting: () => boolean;
  readonly record: NetworkRecord;
  readonly events: ControllerEvents;
}

/** The parts of a process that start before the network is read. */
interface Foundation {
  readonly config: Config;
  readonly log: Logger;
  readonly now: () => Date;
  readonly database: Database;
  readonly traces: Traces | undefined;
  readonly stops: Stops;
}

export interface ProcessOptions {
  readonly config: Config;
  /** The URL of an existing, possibly empty database. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly now: () => Date;
}

export interface ControllerOptions extends ProcessOptions {
  /** The other processes of this controller. */
  readonly siblings?: Siblings | undefined;
  /** The number of its processes that serve requests; default: this one alone. */
  readonly processCount?: (() => number) | undefined;
  /** The sinks of events. */
  readonly events?: readonly EventSinkSettings[] | undefined;
  /** Called if changes were pruned before this controller had read them: it must be started again. */
  readonly onLost?: () => void;
}

export interface WorkerOptions extends ProcessOptions {
  readonly siblings: Siblings;
  readonly feed: RelayedFeed;
  /** Whether the first process stored its last heartbeat. */
  readonly isWriting: () => boolean;
  /** Takes the logins of this process. */
  readonly onLogin: LoginObserver;
  readonly liveEvents: LiveEvents;
}

const LISTENER_FAILED = 'a reaction to a change failed';

/** Connections to the database of one process, and of all together unless they are many. */
const CONNECTIONS = { ofOne: 16, ofAll: 32, least: 4 };

/** Starts a controller on a database; if a step fails, it stops the earlier ones. */
export function startController(options: ControllerOptions): Promise<Controller> {
  return withFoundation(options, async (foundation) => {
    const { config, log, now, database, stops } = foundation;
    const { siblings = noSiblings, databaseUrl } = options;
    await refuseOpenPasswordFile(config);
    await prepareSchema(database, log);
    const { keys, record } = await openKeys(config, databaseUrl, database, now);
    const store = openStore(foundation, record.epoch, siblings);
    const bootstrapped = await bootstrap(store, catalog, config, now());
    await useRecording.begin(store, record.epoch, now());
    await fillFollowing(store, catalog.stored());
    const network = await readNetworkModel({ ...options, database, store });
    progress(log, 'the model is read');
    stops.push(() => network.feed.stop());

    const { processCount = () => 1 } = options;
    const version = productVersion();
    const heartbeat = await startHeartbeat({
      ...{ config, log, now, store, keys: () => keys.current },
      vitals: () => ({
        version,
        processCount: processCount(),
        feedSilenceMillis: network.feed.silenceMillis,
      }),
    });
    stops.push(heartbeat.stop);
    const { id, isBeating: isWriting } = heartbeat;
    const events = await startEvents(options, { controllerId: id, store, network, stops });
    const { applyLogin: onLogin } = events;
    const parts = { ...foundation, onLogin, liveEvents: events, store, keys, network, siblings };
    const ids = { networkId: record.id, controllerId: id };
    const serving = await startServing({ ...parts, ...ids, isWriting }, startUpkeep);
    events.routers = serving.presence;
    stops.push(startKeyUpkeep(keys, log));
    return { ...serving, ...bootstrapped, id, isWriting, record, events };
  });
}

/** Starts a worker of a controller that runs; if a step fails, it stops the earlier ones. */
export function startWorker(options: WorkerOptions): Promise<ServingProcess> {
  return withFoundation(options, async (foundation) => {
    const { config, log, now, database, stops } = foundation;
    const { siblings, databaseUrl, feed, isWriting } = options;
    const { keys, record } = await openKeys(config, databaseUrl, database, now);
    const store = openStore(foundation, record.epoch, siblings);
    const network = await readNetworkModel({ log, now, database, store, relayed: feed });
    stops.push(() => feed.stop());
    const { onLogin, liveEvents } = options;
    const parts = { ...foundation, onLogin, liveEvents, store, keys, network, siblings };
    const ids = { networkId: record.id, controllerId: await controllerId(config.dataDir) };
    return startServing({ ...parts, ...ids, isWriting }, startWorkerUpkeep);
  });
}

/** Connects to the database, and starts the rest of a process; stops everything if that fails. */
async function withFoundation<P extends ServingProcess>(
  { config, databaseUrl, log, now }: ProcessOptions,
  start: (foundation: Foundation) => Promise<P>,
): Promise<P> {
  const named = config.database.namedStatements;
  const database = new Database({ url: databaseUrl, named, connections: connectionsOf(config) });
  const stops: Stops = [() => database.close()];
  try {
    const traces = await startTraces({ config, log }, database, stops);
    return await start({ config, log, now, database, traces, stops });
  } catch (error) {
    await stopAll(stops);
    log.debug({ err: error }, 'the controller did not start');
    throw error;
  }
}

const connectionsOf = ({ workers }: Config): number =>
  workers === 1
    ? CONNECTIONS.ofOne
    : Math.min(CONNECTIONS.ofOne, Math.max(CONNECTIONS.least, CONNECTIONS.ofAll / workers));

async function stopAll(stops: Stops): Promise<void> {
  for (const end of stops.splice(0).reverse()) await end();
}

function openStore(
  { config, database, log }: Foundation,
  epoch: number,
  siblings: Siblings,
): ModelStore {
  const store = new ModelStore(database, catalog, epoch, warn(log, LISTENER_FAILED));
  if (config.workers > 1) store.onWritten = siblings.written;
  return store;
}

interface ServingOptions extends Foundation {
  readonly store: ModelStore;
  readonly keys: LiveKeys;
  readonly network: NetworkModel;
  readonly siblings: Siblings;
  readonly networkId: string;
  readonly controllerId: string;
  readonly isWriting: () => boolean;
  readonly onLogin: LoginObserver;
  readonly liveEvents: LiveEvents;
}

interface EventSources {
  readonly controllerId: string;
  readonly store: ModelStore;
  readonly network: NetworkModel;
  readonly stops: Stops;
}

/** Starts the events for the configured sinks, and for clients that watch. */
async function startEvents(
  { events: settings = [], now, log }: ControllerOptions,
  { controllerId, store, network, stops }: EventSources,
): Promise<ControllerEvents> {
  const version = COMPATIBLE_VERSION;
  const events = new ControllerEvents({
    settings,
    controllerId,
    version,
    store,
    catalog,
    now,
    log,
  });
  stops.push(() => events.stop());
  network.changeListeners.push(events.applyChanges);
  await events.start();
  return events;
}

/** Wires the modules, starts the regular work and builds the doors. */
async function startServing(
  options: ServingOptions,
  upkeep: typeof startUpkeep,
): Promise<ServingProcess> {
  const { network, stops, database, store, keys, log } = options;
  const schema = await buildGraph(catalog, operations);
  const assembly = assembleModules({ ...options, ...network, schema });
  stops.push(await startSigning(assembly.tokenKeys, log));
  await upkeep({ ...options, ...network, ...assembly }, stops);
  const doors = await buildDoors({ ...options, ...network, ...assembly, schema });
  const { presence, facts, contexts, sessions, accessTokens, accessUses } = assembly;
  return {
    ...doors,
    presence,
    facts,
    contexts,
    accessTokens,
    sessions,
    accessUses,
    keys,
    database,
    store,
    network,
    stop: () => stopAll(stops),
  };
}

/** Starts traces if the environment names a collector. */
async function startTraces(
  { config, log }: Pick<ProcessOptions, 'config' | 'log'>,
  database: Database,
  stops: Stops,
): Promise<Traces | undefined> {
  if (!config.traces) return undefined;
  const traces = await openTraces((fault) => {
    log.warn({ fault: fault.slice(0, 300) }, 'traces could not be sent');
  });
  database.watch = traces.statement;
  stops.push(() => traces.stop());
  return traces;
}

/** Refuses a password file that other accounts can read, like a key file. */
async function refuseOpenPasswordFile({ dataDir, pki }: Config): Promise<void> {
  const rule = { allowOpen: pki.allowOpenKeyFiles };
  await readSecretFile(passwordFile(dataDir), rule).catch((error: unknown) => {
    // A missing or unreadable file is no fault, since the program only writes it.
    if (error instanceof StartError) throw error;
  });
}

async function prepareSchema(database: Database, log: Logger): Promise<void> {
  await migrate(database.pool);
  progress(log, 'the schema is up to date');
  // A release also runs on the database of the next one, while controllers are replaced one by one.
  const migrations = await newerMigrations(database.pool);
  if (migrations.length === 0) return;
  log.warn(
    { migrations },
    'a newer release has migrated the database; this one does not know all migrations',
  );
}
