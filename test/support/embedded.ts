import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  startEmbedded,
  type EmbeddedLog,
  type EmbeddedServer,
} from '../../src/data/store/embedded/index.js';

export const isRoot = process.getuid?.() === 0;

/** What was reported, in order. */
class RecordedLog implements EmbeddedLog {
  readonly lines: string[] = [];
  readonly info = (line: string): number => this.lines.push(line);
  readonly warn = this.info;
  readonly error = this.info;
}

/** Data directories and what runs in them; `clear` ends and removes all of it. */
export class EmbeddedFixture {
  log = new RecordedLog();
  readonly #folders: string[] = [];
  readonly #servers: EmbeddedServer[] = [];
  readonly #parents: ChildProcess[] = [];

  /** Enterable by the account that PostgreSQL runs as, unless another mode is given. */
  async dataDir(mode = isRoot ? 0o711 : 0o700): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'overgraph-embedded-'));
    this.#folders.push(folder);
    await chmod(folder, mode);
    return folder;
  }

  async start(dataDir: string): Promise<EmbeddedServer> {
    const settings = { fsync: 'off' };
    const server = await startEmbedded({ dataDir, log: this.log, settings });
    this.#servers.push(server);
    return server;
  }

  /** The same in a process of its own, to be killed. */
  async startElsewhere(
    dataDir: string,
    adoptionMs?: number,
  ): Promise<{ parent: ChildProcess; url: string }> {
    const script = fileURLToPath(new URL('run-embedded.mjs', import.meta.url));
    const args = adoptionMs === undefined ? [] : [String(adoptionMs)];
    const parent = spawn(process.execPath, [script, dataDir, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Killing it resets the pipe that tells it of our own end.
    parent.stdin.on('error', () => undefined);
    this.#parents.push(parent);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    return { parent, url: (JSON.parse(line.toString()) as { url: string }).url };
  }

  async clear(): Promise<void> {
    this.log = new RecordedLog();
    for (const parent of this.#parents.splice(0)) await kill(parent, 'SIGTERM');
    for (const server of this.#servers.splice(0)) {
      await server.stop();
      this.#folders.push(dirname(server.directory));
    }
    for (const folder of this.#folders.splice(0))
      await rm(folder, { recursive: true, force: true });
  }
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** A client of the database that a controller has in its data directory. */
export async function connectBeside(dataDir: string): Promise<pg.Client> {
  const socket = encodeURIComponent(join(dataDir, 'postgres', 'run'));
  const client = new pg.Client({
    connectionString: `postgresql://postgres@/overgraph?host=${socket}&sslmode=disable`,
    application_name: 'beside',
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(server: { directory: string }): Promise<number> {
  return Number.parseInt(await readFile(join(server.directory, 'postmaster.pid'), 'utf8'), 10);
}

/** Tries again until it succeeds, for at most 20 seconds. */
export async function eventually(attempt: () => void): Promise<void> {
  for (const deadline = Date.now() + 20_000; ;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
