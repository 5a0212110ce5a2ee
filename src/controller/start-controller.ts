import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { buildGraph, operations } from '../graph/index.js';
import { StartError } from '../base/start-error.js';
import { openTraces, type Traces } from '../observability/index.js';
import { readSecretFile, type LiveKeys } from '../pki/index.js';
import { catalog } from '../resources/index.js';
import { Database } from '../store/database.js';
import { fillFollowing } from '../store/fill-following.js';
import { migrate, newerMigrations } from '../store/migrate.js';
import { ModelStore } from '../store/model-store.js';
import { assembleModules } from './assembly.js';
import { bootstrap, passwordFile, type Bootstrapped } from './bootstrap.js';
import { openKeys } from './controller-keys.js';
import { buildDoors, type Doors } from './doors.js';
import { startHeartbeat } from './heartbeat.js';
import { startKeyUpkeep } from './key-upkeep.js';
import { readNetworkModel } from './network-model.js';
import { progress } from './progress.js';
import type { Stops } from './stops.js';
import { startUpkeep } from './upkeep.js';
import { warn } from './warn.js';

/** A controller without its listener. */
export interface Controller extends Bootstrapped, Doors {
  readonly keys: LiveKeys;
  readonly database: Database;
  stop(): Promise<void>;
}

export interface ControllerOptions {
  readonly config: Config;
  /** The URL of an existing, possibly empty database. */
  readonly databaseUrl: string;
  readonly log: Logger;
  readonly now: () => Date;
  /** Called if changes were pruned before this controller had read them: it must be started again. */
  readonly onLost?: () => void;
}

const LISTENER_FAILED = 'a reaction to a change failed';

/** Starts a controller on a database; if a step fails, it stops the earlier ones. */
export async function startController(options: ControllerOptions): Promise<Controller> {
  const { config, databaseUrl, log, now } = options;
  const database = new Database({ url: databaseUrl, named: config.database.namedStatements });
  const stops: Stops = [() => database.close()];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  try {
    const traces = await startTraces(options, database, stops);
    await refuseOpenPasswordFile(config);
    await prepareSchema(database, log);
    const { keys, epoch } = await openKeys(config, databaseUrl, database, now);

    const store = new ModelStore(database, catalog, epoch, warn(log, LISTENER_FAILED));
    const bootstrapped = await bootstrap(store, catalog, config, now());
    await fillFollowing(store, catalog.stored());
    const network = await readNetworkModel({ ...options, database, store });
    progress(log, 'the model is read');
    stops.push(() => network.feed.stop());

    const heartbeat = await startHeartbeat({ config, log, now, store, keys: () => keys.current });
    stops.push(heartbeat.stop);
    const schema = await buildGraph(catalog, operations);
    const assembly = assembleModules({ config, log, now, store, keys, schema, ...network });
    await startUpkeep({ config, log, now, store, ...network, ...assembly }, stops);
    const { isBeating: isWriting } = heartbeat;
    const dependencies = { config, log, now, database, store, keys, schema, traces, isWriting };
    const doors = await buildDoors({ ...dependencies, ...network, ...assembly });
    stops.push(startKeyUpkeep(keys, log));
    return { ...bootstrapped, ...doors, keys, database, stop };
  } catch (error) {
    await stop();
    log.debug({ err: error }, 'the controller did not start');
    throw error;
  }
}

/** Starts traces if the environment names a collector. */
async function startTraces(
  { config, log }: ControllerOptions,
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
