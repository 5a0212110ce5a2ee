import { existsSync } from 'node:fs';
import { loadConfig, type Config } from '../configuration.js';
import {
  Holdings,
  NO_CREDENTIALS,
  withOnly,
  type RequestContext,
} from '../../kernel/request/context.js';
import { newId } from '../../base/ids.js';
import { TokenLife } from '../../trust/auth/index.js';
import { Reader } from '../../kernel/read/reader.js';
import { catalog } from '../../resources/index.js';
import { openDataDir } from '../../data/store/data-dir.js';
import { Database } from '../../data/store/database.js';
import {
  ensureDatabase,
  runningServer,
  startEmbedded,
  withDatabase,
  type EmbeddedLog,
} from '../../data/store/embedded/index.js';
import { ModelStore } from '../../data/store/model-store.js';
import { readEpoch } from '../../data/store/network-keys.js';
import { probeDatabase } from '../../data/store/probe-database.js';
import { StartError } from '../../base/start-error.js';
import type { Environment } from './controller-connection.js';

/** Commands that work on the data directory and the database themselves. */

export interface Offline {
  readonly config: Config;
  readonly databaseUrl: string;
}

const toStderr: EmbeddedLog = {
  info: () => undefined,
  warn: (line) => process.stderr.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
};

const DATABASE = 'overgraph';

/** With the data directory held: no controller runs on it meanwhile. */
export async function exclusively<T>(
  env: Environment,
  work: (offline: Offline) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  const dataDir = await openDataDir(config.dataDir);
  try {
    const { url } = config.database;
    if (url === undefined) return await onEmbedded(config, dataDir.path, work);
    await probeDatabase(url);
    return await work({ config, databaseUrl: url });
  } finally {
    await dataDir.release();
  }
}

/** Whether a controller runs or not. */
export async function besideController<T>(
  env: Environment,
  work: (offline: Offline) => Promise<T>,
): Promise<T> {
  const config = loadConfig(env);
  if (config.database.url !== undefined) {
    await probeDatabase(config.database.url);
    return work({ config, databaseUrl: config.database.url });
  }
  if (!existsSync(config.dataDir)) {
    throw new StartError(
      `there is no data directory ${config.dataDir}`,
      'set OVERGRAPH_DATA_DIR, or DATABASE_URL, as for the controller',
    );
  }
  const running = await runningServer(config.dataDir, toStderr);
  if (running === undefined) return exclusively(env, work);
  return work({ config, databaseUrl: withDatabase(running, DATABASE) });
}

async function onEmbedded<T>(
  config: Config,
  dataDir: string,
  work: (offline: Offline) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({ dataDir, log: toStderr });
  try {
    return await work({ config, databaseUrl: await ensureDatabase(server.url, DATABASE) });
  } finally {
    await server.stop();
  }
}

/** The context of the write pipeline. Its change records name only the command line. */
export async function withModel<T>(
  { databaseUrl, config }: Offline,
  work: (ctx: RequestContext) => Promise<T>,
): Promise<T> {
  const named = config.database.namedStatements;
  const database = new Database({ url: databaseUrl, named, connections: 2 });
  try {
    const epoch = await epochOf(database);
    const store = new ModelStore(database, catalog, epoch);
    const ctx: RequestContext = {
      requestId: newId(),
      address: 'command line',
      caller: undefined,
      credentials: NO_CREDENTIALS,
      catalog,
      store,
      modules: withOnly({ tokenLife: new TokenLife(config.oidc) }),
      now: () => new Date(),
      reader: new Reader(() => ctx),
      holdings: new Holdings(),
    };
    return await work(ctx);
  } finally {
    await database.close();
  }
}

async function epochOf(database: Database): Promise<number> {
  const epoch = await readEpoch(database);
  if (epoch !== undefined) return epoch;
  throw new StartError('the database holds no network', 'start a controller on it first');
}
