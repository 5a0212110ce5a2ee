import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDatabase, startEmbedded } from '../../src/data/store/embedded/index.js';
import { Child } from './child.js';
import { fillNetwork, type NetworkSize } from './network.js';
import type { ProbeReport } from './probe.js';

/** PostgreSQL with its data in a folder that goes with it. */
export interface Server {
  readonly url: string;
  readonly folder: string;
  stop(): Promise<void>;
}

const silent = { info: () => undefined, warn: console.error, error: console.error };

export async function startServer(): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'overgraph-bench-'));
  // PostgreSQL may have to run under another account.
  await chmod(folder, 0o711);
  // Enough for several controllers.
  const settings = { max_connections: '200' };
  const server = await startEmbedded({ dataDir: folder, log: silent, settings });
  return {
    url: server.url,
    folder,
    stop: async () => {
      await server.stop();
      await rm(server.directory, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A filled database with a controller on it, and the floor on the same database. */
export interface Stage {
  readonly size: NetworkSize;
  readonly databaseUrl: string;
  /** Of the controller, with the keys of its network. */
  readonly dataDir: string;
  readonly controller: string;
  /** Of the listener for health and metrics. */
  readonly monitors: string;
  readonly floor: string;
  /** Seconds that the controller took to be ready on the filled database. */
  readonly startSeconds: number;
  probe(): Promise<ProbeReport>;
  /** Stops the controller and starts it again, at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** How the controller of a stage is started. */
export interface ControllerSettings {
  readonly nodeOptions: readonly string[];
  /** `OVERGRAPH_WORKERS`; undefined: its default. */
  readonly workers: number | undefined;
}

/** As `npm start` gives it to Node. */
const SMALL_YOUNG_SPACE = '--max-semi-space-size=8';
const ONE_PROCESS: ControllerSettings = { nodeOptions: [], workers: 1 };

export const PASSWORD = 'bench password';

/** The path of a built program; `path` is relative to this file. */
export const compiled = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

let stages = 0;

export async function openStage(
  server: Server,
  size: NetworkSize,
  settings: ControllerSettings = ONE_PROCESS,
  more: readonly string[] = [],
): Promise<Stage> {
  const name = `network_${String((stages += 1))}`;
  const databaseUrl = await ensureDatabase(server.url, name);
  await fillNetwork(databaseUrl, size, more);
  const dataDir = join(server.folder, name);
  await mkdir(dataDir);
  const [port, floorPort, healthPort] = [await freePort(), await freePort(), await freePort()];
  const began = performance.now();
  const start = (): Promise<Child> =>
    startController(databaseUrl, dataDir, { port, healthPort }, settings);
  let controller = await start();
  const startSeconds = (performance.now() - began) / 1000;
  const floor = await Child.start(
    [compiled('floor.js'), databaseUrl, String(floorPort), join(dataDir, 'pki')],
    {},
    'ready',
  );
  return {
    size,
    databaseUrl,
    dataDir,
    controller: `https://127.0.0.1:${String(port)}`,
    monitors: `http://127.0.0.1:${String(healthPort)}`,
    floor: `https://127.0.0.1:${String(floorPort)}`,
    startSeconds,
    probe: () => controller.ask<ProbeReport>(),
    restart: async () => {
      await controller.stop();
      controller = await start();
    },
    stop: async () => {
      await floor.stop();
      await controller.stop();
    },
  };
}

const startController = (
  databaseUrl: string,
  dataDir: string,
  { port, healthPort }: { readonly port: number; readonly healthPort?: number },
  { nodeOptions, workers }: ControllerSettings,
): Promise<Child> =>
  Child.start(
    [
      SMALL_YOUNG_SPACE,
      ...nodeOptions,
      '--import',
      compiled('probe.js'),
      compiled('../../../dist/program/main.js'),
    ],
    {
      DATABASE_URL: databaseUrl,
      OVERGRAPH_DATA_DIR: dataDir,
      OVERGRAPH_PORT: String(port),
      ...(healthPort && { OVERGRAPH_HEALTH_LISTEN: `127.0.0.1:${String(healthPort)}` }),
      OVERGRAPH_ADMIN_PASSWORD: PASSWORD,
      OVERGRAPH_LOG_LEVEL: 'warn',
      // One address asks for all: what protects a real controller from that would be measured.
      OVERGRAPH_LOGIN_LIMIT: '0',
      OVERGRAPH_RATE_LIMIT: '0',
      OVERGRAPH_SESSION_RATE_LIMIT: '0',
      OVERGRAPH_ADDRESS_CONNECTIONS: '0',
      OVERGRAPH_GRAPHQL_BUDGET: '0',
      ...(workers === undefined ? {} : { OVERGRAPH_WORKERS: String(workers) }),
    },
    'is ready on',
  );

/** One more controller on the database of a stage. */
export async function joinStage(
  { databaseUrl, dataDir }: Stage,
  number: number,
): Promise<{ readonly origin: string; stop(): Promise<void> }> {
  const own = `${dataDir}-${String(number)}`;
  await cp(join(dataDir, 'pki'), join(own, 'pki'), { recursive: true });
  const port = await freePort();
  const child = await startController(databaseUrl, own, { port }, ONE_PROCESS);
  return { origin: `https://127.0.0.1:${String(port)}`, stop: () => child.stop() };
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
