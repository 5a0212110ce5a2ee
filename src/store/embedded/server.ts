import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartError } from '../start-error.js';
import { findBinaries } from './binaries.js';
import { bringUp, type Answering, type Site } from './bring-up.js';
import { ensureCluster } from './cluster.js';
import { lockDirectory, type DirectoryLock } from './directory-lock.js';
import { discardEndpoint, urlOf } from './endpoint.js';
import { findHome, type Home } from './home.js';
import type { EmbeddedLog } from './log.js';

export interface EmbeddedOptions {
  /** Exists already; usually held by `openDataDir`. */
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** Server settings beside or instead of the usual ones, as for `postgres -c`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedServer {
  /** Of the database `postgres`, for `pg` and libpq; stays valid when the server is restarted. */
  readonly url: string;
  /** Where the cluster really lives; as root it may be outside the data directory. */
  readonly directory: string;
  /** Whether it was left running by a controller that was killed. */
  readonly adopted: boolean;
  /** Ends the server with its clients' transactions rolled back; can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts (or adopts) the PostgreSQL of a data directory and keeps it running: when it ends, it is
 * started again until it answers, whatever is in the way. What the operator can cure of the first
 * start is thrown as a `StartError`. No two processes get the same cluster.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log, settings = {} } = options;
  const home = await findHome(await realpath(dataDir), log);
  const lock = await lockHome(home);
  try {
    const binaries = await findBinaries(home.path, home.account);
    await ensureCluster(home, binaries, log);
    const site = { home, binaries, log, settings };
    const supervisor = new Supervisor(site, lock);
    return await supervisor.start();
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function lockHome(home: Home): Promise<DirectoryLock> {
  const lock = await lockDirectory(home.path);
  if (typeof lock !== 'number') return lock;
  throw new StartError(
    `the embedded database in ${home.path} is in use by the controller with process id ${lock}`,
    'stop that one, or set OVERGRAPH_DATA_DIR to another directory',
  );
}

/** The pause before it is started again doubles with each end within the period. */
const ENDS_PERIOD_MS = 60_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const STOP_MS = 10_000;

class Supervisor {
  readonly #abort = new AbortController();
  readonly #starts: number[] = [];
  #current: Answering | undefined;
  #reviving: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly site: Site,
    private readonly lock: DirectoryLock,
  ) {}

  async start(): Promise<EmbeddedServer> {
    const answering = await bringUp(this.site, undefined, this.#abort.signal);
    this.#watch(answering);
    return {
      url: urlOf(answering.endpoint, 'postgres'),
      directory: this.site.home.cluster,
      adopted: answering.adopted,
      stop: () => (this.#stopped ??= this.#stop()),
    };
  }

  #watch(answering: Answering): void {
    this.#current = answering;
    void answering.postmaster.ended.then((how) => {
      if (this.#abort.signal.aborted) return;
      this.#current = undefined;
      this.#reviving = this.#revive(answering, how);
    });
  }

  async #revive(former: Answering, how: string): Promise<void> {
    this.site.log.error(`the embedded PostgreSQL ended (${how}); starting it again`);
    for (;;) {
      try {
        await this.#pause();
        const answering = await bringUp(this.site, former.endpoint, this.#abort.signal);
        this.site.log.warn('the embedded PostgreSQL answers again');
        this.#watch(answering);
        return;
      } catch (error) {
        // A full disk has been seen to be made room on: nothing here is final.
        if (this.#abort.signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.site.log.error(`${reason}; it will be tried again`);
      }
    }
  }

  /** Longer from one time to the next. */
  async #pause(): Promise<void> {
    const now = Date.now();
    this.#starts.push(now);
    while (now - (this.#starts[0] ?? now) > ENDS_PERIOD_MS) this.#starts.shift();
    const pause = FIRST_PAUSE_MS * 2 ** (this.#starts.length - 1);
    await delay(Math.min(pause, LONGEST_PAUSE_MS), undefined, { signal: this.#abort.signal });
  }

  async #stop(): Promise<void> {
    this.#abort.abort();
    await this.#reviving;
    const current = this.#current;
    if (current) {
      await this.#end(current);
      await discardEndpoint(current.endpoint);
    }
    await this.lock.release();
  }

  async #end({ postmaster }: Answering): Promise<void> {
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await this.#signal(postmaster.pid, signal);
      const patience = new AbortController();
      const ended = await Promise.race([
        postmaster.ended.then(() => true),
        delay(STOP_MS, false, { signal: patience.signal }),
      ]);
      patience.abort();
      if (ended) return;
      this.site.log.warn(`the embedded PostgreSQL does not end on ${signal}`);
    }
  }

  /** SIGINT is PostgreSQL's fast, SIGQUIT its immediate shutdown. */
  async #signal(pid: number, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const { binaries, home } = this.site;
    const mode = signal === 'SIGINT' ? 'fast' : 'immediate';
    try {
      if (process.platform !== 'win32') process.kill(pid, signal);
      else
        await promisify(execFile)(binaries.pgCtl, ['stop', '-W', '-D', home.cluster, '-m', mode]);
    } catch (error) {
      this.site.log.warn(`the embedded PostgreSQL took no ${signal} (${String(error)})`);
    }
  }
}
