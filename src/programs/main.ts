import './controller/process-settings.js';
import 'reflect-metadata';
import type { Logger } from 'pino';
import { loadConfig, type Config } from './configuration.js';
import type { EventSinkSettings } from '../network/events/index.js';
import { openLog } from './controller/open-log.js';
import { ProgramEnd } from './controller/program-end.js';
import { progress } from './controller/progress.js';
import { openDataDir, type DataDir } from '../data/store/data-dir.js';
import {
  ensureDatabase,
  startEmbedded,
  type EmbeddedServer,
} from '../data/store/embedded/index.js';
import { probeDatabase } from '../data/store/probe-database.js';
import { WorkerPool } from './workers/index.js';

/** PostgreSQL has ten seconds for an orderly end, and ten more to end at once. */
const EMBEDDED_MS = 25_000;
const DATA_DIR_MS = 2_000;

const end = new ProgramEnd();

async function start(): Promise<void> {
  const config = loadConfig(process.env);
  const log = openLog(config);
  end.log = log;
  const events = await readEvents(config, log);
  const dataDir = await openDataDir(config.dataDir);
  end.steps.add('the data directory', DATA_DIR_MS, () => dataDir.release());
  const { url } = config.database;
  // Most of the program loads while PostgreSQL starts.
  const loading = import('./controller/serve.js');
  const workers = startWorkers(config.workers - 1, log);
  const [embedded] = await Promise.all([
    url === undefined ? embed(dataDir, log) : probeDatabase(url),
    loading,
  ]);
  progress(log, 'the program is loaded, and the database server answers');
  const databaseUrl = url ?? (await ensureDatabase(embedded?.url ?? '', 'overgraph'));
  const { serve } = await loading;
  const parts = { config, databaseUrl, embedded: embedded ?? undefined, log, workers, events };
  const onLost = (reason: string): void => {
    end.fail(reason);
  };
  await serve({ ...parts, ending: end.steps, onLost });
}

/** Reads the sinks of events; without any, their code does not delay the start. */
async function readEvents(
  config: Config,
  log: Logger,
): Promise<readonly EventSinkSettings[] | undefined> {
  if (config.events === undefined) return undefined;
  const { configuredEventSinks } = await import('./controller/configured-event-sinks.js');
  return configuredEventSinks(config, log);
}

/** Starts the workers beside this process, which load the program at the same time. */
function startWorkers(count: number, log: Logger): WorkerPool | undefined {
  if (count === 0) return undefined;
  const workers = new WorkerPool(log, count, process.env);
  end.steps.add('the workers', WorkerPool.stopMillis, () => workers.stop());
  return workers;
}

async function embed(dataDir: DataDir, to: Logger): Promise<EmbeddedServer> {
  const embedded = await startEmbedded({
    dataDir: dataDir.path,
    log: {
      info: (line) => {
        to.info(line);
      },
      warn: (line) => {
        to.warn(line);
      },
      error: (line) => {
        to.error(line);
      },
    },
  });
  end.steps.add('the embedded PostgreSQL', EMBEDDED_MS, () => embedded.stop());
  progress(to, 'the embedded PostgreSQL answers');
  return embedded;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    end.stop();
  });
}
end.watch(start());
