import './controller/production.js';
import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { pino, type Logger } from 'pino';
import { loadConfig } from './config.js';
import { faultRecord } from './controller/fault-record.js';
import { isOver, OrderedStop } from './controller/ordered-stop.js';
import { progress } from './controller/progress.js';
import { openDataDir, type DataDir } from './store/data-dir.js';
import { ensureDatabase, startEmbedded, type EmbeddedServer } from './store/embedded/index.js';
import { probeDatabase } from './store/probe-database.js';
import { StartError } from './base/start-error.js';

// V8 lets a heap grow to four times of what lives in it: at 100,000 identities that is 150 MB of garbage.
setFlagsFromString('--heap-growing-percent=100');

/** A stop waits so long for a start that is under way. */
const START_MS = 30_000;
/** PostgreSQL has ten seconds to end well, and as much to end at once. */
const EMBEDDED_MS = 25_000;
const DATA_DIR_MS = 2_000;

const say = (line: string): void => {
  process.stderr.write(`overgraph: ${line}\n`);
};

const ending = new OrderedStop((line) => {
  say(`while stopping: ${line}`);
});

/** Once the configuration says how to log. */
let log: Logger | undefined;

async function start(): Promise<void> {
  const config = loadConfig(process.env);
  log = pino({ level: config.logLevel, base: null, redact: ['*.password', '*.token'] });
  const dataDir = await openDataDir(config.dataDir);
  ending.add('the data directory', DATA_DIR_MS, () => dataDir.release());
  const { url } = config.database;
  // Most of the program is loaded while PostgreSQL starts.
  const loading = import('./controller/serve.js');
  const [embedded] = await Promise.all([
    url === undefined ? embed(dataDir, log) : probeDatabase(url),
    loading,
  ]);
  progress(log, 'the program is loaded, and the database server answers');
  const databaseUrl = url ?? (await ensureDatabase(embedded?.url ?? '', 'overgraph'));
  const { serve } = await loading;
  const parts = { config, databaseUrl, embedded: embedded ?? undefined, log, ending };
  await serve({ ...parts, onLost: fail });
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
  ending.add('the embedded PostgreSQL', EMBEDDED_MS, () => embedded.stop());
  progress(to, 'the embedded PostgreSQL answers');
  return embedded;
}

let stopping: Promise<void> | undefined;

/** Ends in good order, with the exit code that was set. */
function stop(): void {
  stopping ??= isOver(
    starting.catch(() => undefined),
    START_MS,
  )
    .then(() => ending.run())
    .then(() => process.exit());
}

/** Ends in good order, and tells whoever started us that it was no wish of theirs. */
function fail(reason: string): void {
  log?.fatal(reason);
  process.exitCode = 1;
  stop();
}

const UNCAUGHT = 'a fault that nothing was prepared for: this controller stops';
const UNAWAITED = 'a promise failed that nothing waited for';

/** After an exception that nothing caught the state of the process is not known. */
function failUncaught(fault: unknown): void {
  process.exitCode = 1;
  tellFault('fatal', fault, UNCAUGHT);
  stop();
}

/** It belongs to one request or one round of upkeep: no request may end the controller by it. */
function tellUnawaited(fault: unknown): void {
  tellFault('error', fault, UNAWAITED);
}

function tellFault(level: 'fatal' | 'error', fault: unknown, message: string): void {
  if (log) {
    log[level]({ fault: faultRecord(fault) }, message);
    log.debug({ err: fault }, 'the fault with its message');
  } else say(`${message}: ${JSON.stringify(faultRecord(fault))}`);
}

process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.on('uncaughtException', failUncaught);
process.on('unhandledRejection', tellUnawaited);

const starting = start();
starting.catch((error: unknown) => {
  process.exitCode = 1;
  if (error instanceof StartError) process.stderr.write(`${error.message}\n`);
  else say(String((error as Error).stack));
  stop();
});
