import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { ADMIN_PASSWORD, TestController } from '../support/controller.js';
import { connectBeside, isRoot } from '../support/embedded.js';
import { Program } from '../support/program.js';
import { childrenOf, killAnyway } from './processes.js';

/** What is killed of a controller with its own PostgreSQL. */
export const KINDS = ['controller', 'backend', 'postmaster', 'postgres', 'both'] as const;
export type Kind = (typeof KINDS)[number];

/** Whether the controller has to be started again; else all comes back by itself. */
export const endsController = (kind: Kind): boolean => kind === 'controller' || kind === 'both';

/** A backend of the controller, one that writes if there is any. */
const BACKEND = `select pid from pg_stat_activity
  where datname = 'overgraph' and backend_type = 'client backend' and application_name <> 'beside'
  order by (backend_xid is not null) desc, (state = 'active') desc, query_start desc limit 1`;

/** The built controller as it is started without any configuration, on one data directory and port. */
export class Victim {
  readonly api: TestController;

  private constructor(
    private readonly folder: string,
    port: number,
    private program: Program,
  ) {
    this.api = new TestController(port, '', () => Promise.resolve());
  }

  static async begin(random: () => number): Promise<Victim> {
    const folder = await mkdtemp(join(tmpdir(), 'overgraph-kill-'));
    // Enterable by the account that PostgreSQL runs as.
    await chmod(folder, isRoot ? 0o711 : 0o700);
    const port = await quietPort(random);
    const victim = new Victim(folder, port, launch(folder, port));
    await victim.program.ready();
    victim.api.token = await victim.api.login();
    return victim;
  }

  /** Begins; `isReady` settles when it is ready, and fails when it does not start. */
  start(): { readonly isReady: Promise<unknown> } {
    this.program = launch(this.folder, this.api.port);
    return { isReady: this.program.ready() };
  }

  async end(): Promise<void> {
    const code = await this.program.end('SIGTERM');
    await this.api.stop();
    if (code !== 0) throw new Error(`it ended with ${String(code)}: ${this.program.stderr}`);
    await rm(this.folder, { recursive: true, force: true });
  }

  get output(): string {
    return this.program.stdout + this.program.stderr;
  }

  /** A session of its database beside it. */
  connect(): Promise<pg.Client> {
    return connectBeside(this.folder);
  }

  /** Kills at once; settles when that is seen, so that what is asked from then on is asked after it. */
  async kill(kind: Kind, beside: pg.Client): Promise<void> {
    const victims = await this.#victims(kind, beside);
    const isSeen = endsController(kind) ? this.program.end() : endOf(beside);
    if (endsController(kind)) this.program.child.kill('SIGKILL');
    for (const pid of victims) killAnyway(pid);
    await isSeen;
  }

  /** What has been begun, in the midst of its beginning. */
  async killAgain(kind: Kind): Promise<void> {
    // Nobody is served as long as there is no session to be had.
    const beside = await this.connect().catch(() => undefined);
    const isSeen = beside && kind !== 'controller' ? endOf(beside) : undefined;
    const victims = kind === 'controller' ? [] : await this.#postmaster();
    if (endsController(kind)) this.program.child.kill('SIGKILL');
    for (const pid of victims) killAnyway(pid);
    if (endsController(kind)) await this.program.end();
    await isSeen;
    await beside?.end().catch(() => undefined);
  }

  async #victims(kind: Kind, beside: pg.Client): Promise<number[]> {
    if (kind === 'controller') return [];
    if (kind === 'backend') {
      const { rows } = await beside.query<{ pid: number }>(BACKEND);
      return rows.map(({ pid }) => pid);
    }
    const [postmaster = 0] = await this.#postmaster();
    return kind === 'postmaster' ? [postmaster] : [postmaster, ...(await childrenOf(postmaster))];
  }

  /** None while it is not there. */
  async #postmaster(): Promise<number[]> {
    const file = join(this.folder, 'postgres', 'cluster', 'postmaster.pid');
    const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
    return pid > 1 ? [pid] : [];
  }
}

/** Also of one that breaks, which counts as a fault before it ends. */
const endOf = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => {
    client.once('end', resolve);
  });

const launch = (folder: string, port: number): Program =>
  new Program({
    OVERGRAPH_DATA_DIR: folder,
    OVERGRAPH_PORT: String(port),
    OVERGRAPH_ADMIN_PASSWORD: ADMIN_PASSWORD,
    OVERGRAPH_LOG_LEVEL: 'warn',
    // What is told of the activity of a session now and then is lost in every kill.
    OVERGRAPH_SESSION_TIMEOUT: '24h',
    // The writers write as fast as they can.
    OVERGRAPH_RATE_LIMIT: '0',
    OVERGRAPH_SESSION_RATE_LIMIT: '0',
    OVERGRAPH_GRAPHQL_BUDGET: '0',
  });

/**
 * Below those that the system gives to clients: one of them, or the test itself as it knocks at a
 * port that nobody listens on, would hold the port as the controller comes back.
 */
export async function quietPort(random: () => number): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(random() * 18_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
