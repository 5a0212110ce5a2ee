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

// V8 lets a heap grow to four times its live data: with 100,000 identities that is 150 MB of garbage.
setFlagsFromString('--heap-growing-percent=100');

/** A stop waits at most so long for an unfinished start. */
const START_MS = 30_000;
/** PostgreSQL has ten seconds for an orderly end, and ten more to end at once. */
const EMBEDDED_MS = 25_000;
const DATA_DIR_MS = 2_000;

const say = (line: string): void => {
  process.stderr.write(`overgraph: ${line}\n`);
};

const ending = new OrderedStop((line) => {
  say(`while stopping: ${line}`);
});

/** Set once the configuration has the log level. */
let log: Logger | undefined;

async function start(): Promise<void> {
  const config = loadConfig(process.env);
  log = pino({ level: config.logLevel, base: null, redact: ['*.password', '*.token'] });
  const dataDir = await openDataDir(config.dataDir);
  ending.add('the data directory', DATA_DIR_MS, () => dataDir.release());
  const { url } = config.database;
  // Most of the program loads while PostgreSQL starts.
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

/** Ends in order, with the exit code that was set. */
function stop(): void {
  stopping ??= isOver(
    starting.catch(() => undefined),
    START_MS,
  )
    .then(() => ending.run())
    .then(() => process.exit());
}

/** Ends in order, with an exit code that reports a failure. */
function fail(reason: string): void {
  log?.fatal(reason);
  process.exitCode = 1;
  stop();
}

const UNCAUGHT = 'an unexpected error: this controller stops';
const UNAWAITED = 'a promise without a handler failed';

/** After an uncaught exception, the state of the process is unknown. */
function failUncaught(fault: unknown): void {
  process.exitCode = 1;
  logFault('fatal', fault, UNCAUGHT);
  stop();
}

/** The error belongs to one request or one round of upkeep, so the controller continues. */
function logUnhandledRejection(fault: unknown): void {
  logFault('error', fault, UNAWAITED);
}

function logFault(level: 'fatal' | 'error', fault: unknown, message: string): void {
  if (log) {
    log[level]({ fault: faultRecord(fault) }, message);
    log.debug({ err: fault }, 'the fault with its message');
  } else say(`${message}: ${JSON.stringify(faultRecord(fault))}`);
}

process.on('SIGINT', stop);
process.on('SIGTERM', stop);
process.on('uncaughtException', failUncaught);
process.on('unhandledRejection', logUnhandledRejection);

const starting = start();
starting.catch((error: unknown) => {
  process.exitCode = 1;
  if (error instanceof StartError) process.stderr.write(`${error.message}\n`);
  else say(String((error as Error).stack));
  stop();
});
