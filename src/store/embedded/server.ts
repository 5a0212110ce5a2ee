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
  /** Calls back once, when the server ended and could not be brought back. */
  onExit(callback: (error: StartError) => void): void;
  /** Ends the server with its clients' transactions rolled back; can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts (or adopts) the PostgreSQL of a data directory and keeps it running. What the operator
 * can cure is thrown as a `StartError`. No two processes get the same cluster.
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

/** A server that dies this often within the period is left alone. */
const MAX_ENDS = 5;
const ENDS_PERIOD_MS = 60_000;
const STOP_MS = 10_000;

class Supervisor {
  readonly #abort = new AbortController();
  readonly #ends: number[] = [];
  readonly #callbacks: ((error: StartError) => void)[] = [];
  #current: Answering | undefined;
  #failure: StartError | undefined;
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
      onExit: (callback) => {
        if (this.#failure) callback(this.#failure);
        else this.#callbacks.push(callback);
      },
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
    try {
      await this.#pauseAfterEnd(how);
      const answering = await bringUp(this.site, former.endpoint, this.#abort.signal);
      this.site.log.warn('the embedded PostgreSQL answers again');
      this.#watch(answering);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const failure =
        error instanceof StartError
          ? error
          : new StartError(`the embedded database is gone (${String(error)})`, 'start again');
      this.site.log.error(failure.message);
      this.#failure = failure;
      for (const callback of this.#callbacks) callback(failure);
    }
  }

  /** Waits longer from one end to the next, and throws when there were too many. */
  async #pauseAfterEnd(how: string): Promise<void> {
    const now = Date.now();
    this.#ends.push(now);
    const recent = this.#ends.filter((time) => now - time < ENDS_PERIOD_MS).length;
    this.site.log.error(`the embedded PostgreSQL ended (${how}); starting it again`);
    if (recent > MAX_ENDS) {
      throw new StartError(
        `the embedded PostgreSQL ended ${recent} times within a minute`,
        `see the files in ${this.site.home.log}`,
      );
    }
    await delay(100 * 2 ** (recent - 1), undefined, { signal: this.#abort.signal });
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
