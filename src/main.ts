import 'reflect-metadata';
import { constants } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { setFlagsFromString } from 'node:v8';
import { pino, type Logger } from 'pino';
import { banner } from './banner.js';
import { loadConfig, type Config } from './config.js';
import { startController, type Controller } from './controller.js';
import { openDataDir, type DataDir } from './store/data-dir.js';
import { ensureDatabase, startEmbedded, type EmbeddedServer } from './store/embedded/index.js';
import { probeDatabase } from './store/probe-database.js';
import { StartError } from './store/start-error.js';

/** What has to be undone at the end, last started first ended. */
type Undo = () => Promise<void>;

const DRAIN_MILLIS = 10_000;

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
  const controller = await startController({ config, databaseUrl, log, now: () => new Date() });
  undo.push(() => controller.stop());
  const server = await listen(config, controller);
  undo.push(() => closeServer(server));
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
  embedded.onExit((error) => {
    log.fatal(error.message);
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
  return embedded;
}

const urlOf = (embedded: EmbeddedServer | undefined): string => embedded?.url ?? '';

async function listen({ listen: at }: Config, { app, keys }: Controller): Promise<Server> {
  const server = createServer(
    {
      cert: keys.server.certificateChainPem,
      key: keys.server.privateKeyPem,
      minVersion: 'TLSv1.2',
      // Chains are verified where they are used: a client certificate may come from an authority
      // that was added while we run.
      requestCert: true,
      rejectUnauthorized: false,
      // A connection that is resumed by a ticket shows the client's own certificate without its chain.
      secureOptions: constants.SSL_OP_NO_TICKET,
      maxHeaderSize: 32 * 1024,
    },
    app,
  );
  server.headersTimeout = 10_000;
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(portFault(error, at));
    });
    server.listen(at.port, at.host, resolve);
  });
  return server;
}

function portFault(error: NodeJS.ErrnoException, { host, port }: Config['listen']): Error {
  const place = `${host}:${String(port)}`;
  if (error.code === 'EADDRINUSE') {
    return new StartError(
      `${place} is in use by another program`,
      'stop it, or set OVERGRAPH_PORT to a free port',
    );
  }
  if (error.code === 'EACCES') {
    return new StartError(
      `this account may not listen on ${place}`,
      'set OVERGRAPH_PORT to a port above 1023',
    );
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartError(
      `${host} is no address of this machine`,
      'set OVERGRAPH_HOST to one, or to 0.0.0.0',
    );
  }
  return error;
}

/** Lets requests under way end, but not for ever. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, DRAIN_MILLIS);
  await closed;
  clearTimeout(timer);
}

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
