import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { pino, type Logger } from 'pino';
import { banner } from './banner.js';
import { loadConfig } from './config.js';
import { Connections } from './connections.js';
import { startController } from './controller.js';
import { listen } from './listener.js';
import { openDataDir, type DataDir } from './store/data-dir.js';
import { ensureDatabase, startEmbedded, type EmbeddedServer } from './store/embedded/index.js';
import { probeDatabase } from './store/probe-database.js';
import { StartError } from './store/start-error.js';

/** What has to be undone at the end, last started first ended. */
type Undo = () => Promise<void>;

// V8 lets a heap grow to four times of what lives in it: at 100,000 identities that is 150 MB of garbage.
setFlagsFromString('--heap-growing-percent=100');

async function start(undo: Undo[]): Promise<void> {
  const config = loadConfig(process.env);
  const log = pino({ level: config.logLevel, base: null, redact: ['*.password', '*.token'] });
  const dataDir = await openDataDir(config.dataDir);
  undo.push(() => dataDir.release());
  const embedded = config.database.url === undefined ? await embed(dataDir, log, undo) : undefined;
  if (config.database.url !== undefined) await probeDatabase(config.database.url);
  const databaseUrl = config.database.url ?? (await ensureDatabase(urlOf(embedded), 'overgraph'));
  const controller = await startController({
    config,
    databaseUrl,
    log,
    now: () => new Date(),
    onLost: () => {
      endWith(
        log,
        'the change log was pruned beyond what this controller had read: start it again',
      );
    },
  });
  undo.push(() => controller.stop());
  const server = await listen(config.listen, controller.app, controller.keys, config.limits);
  server.on('upgrade', controller.upgrade);
  const connections = new Connections(server);
  undo.push(async () => {
    controller.drain();
    await delay(config.drainMs);
    await controller.endSubscriptions();
    await connections.close(() => controller.busySockets());
  });
  banner({ config, server, generatedPassword: controller.generatedPassword, embedded });
}

async function embed(dataDir: DataDir, log: Logger, undo: Undo[]): Promise<EmbeddedServer> {
  const embedded = await startEmbedded({
    dataDir: dataDir.path,
    log: {
      info: (line) => {
        log.info(line);
      },
      warn: (line) => {
        log.warn(line);
      },
      error: (line) => {
        log.error(line);
      },
    },
  });
  undo.push(() => embedded.stop());
  return embedded;
}

/** Stops in good order, and tells whoever started us that it was no wish of theirs. */
function endWith(log: Logger, message: string): void {
  log.fatal(message);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

const urlOf = (embedded: EmbeddedServer | undefined): string => embedded?.url ?? '';

async function unwind(undo: Undo[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) {
    await step().catch((error: unknown) => {
      process.stderr.write(`overgraph: while stopping: ${String(error)}\n`);
    });
  }
}

async function main(): Promise<void> {
  const undo: Undo[] = [];
  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= starting.then(() => unwind(undo)).then(() => process.exit());
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const starting = start(undo).catch(async (error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(
      error instanceof StartError
        ? `${error.message}\n`
        : `overgraph: ${String((error as Error).stack)}\n`,
    );
    await unwind(undo);
    process.exit();
  });
  await starting;
}

await main();
