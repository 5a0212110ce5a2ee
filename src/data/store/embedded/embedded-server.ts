import { realpath } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../../base/start-error.js';
import { findBinaries } from './binaries.js';
import { bringUp, type RunningServer, type Site } from './bring-up.js';
import { ensureCluster } from './cluster.js';
import { lockDirectory, type DirectoryLock } from './directory-lock.js';
import { discardEndpoint, urlOf } from './endpoint.js';
import { endPostmaster } from './end-postmaster.js';
import { findHome, type Home } from './home.js';
import type { EmbeddedLog } from './log.js';
import { OrphanWatch } from './orphan-watch.js';
import { isLive, readPidFile } from './pid-file.js';

export interface EmbeddedOptions {
  /** An existing directory, usually locked by `openDataDir`. */
  readonly dataDir: string;
  readonly log: EmbeddedLog;
  /** Server settings that add to the defaults or override them, as for `postgres -c`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Time that the server keeps running for another controller after this process was killed. */
  readonly adoptionMs?: number;
}

export interface EmbeddedServer {
  /**
   * The URL of the database `postgres`, for `pg` and libpq; stays valid after a restart of the
   * server.
   */
  readonly url: string;
  /** The directory of the cluster; as root it may be outside the data directory. */
  readonly directory: string;
  /** Whether a killed controller had left it running. */
  readonly adopted: boolean;
  /** Ends the server and rolls back open transactions; can be called again. */
  stop(): Promise<void>;
}

/**
 * Starts (or adopts) the PostgreSQL of a data directory and keeps it running: when it ends, it is
 * started again until it answers. The first start throws a `StartError` for a fault that the
 * operator can correct. Two processes never use the same cluster.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { dataDir, log, settings = {}, adoptionMs = ADOPTION_MS } = options;
  const home = await findHome(await realpath(dataDir), log);
  const lock = await lockHome(home);
  try {
    const binaries = await findBinaries(home.path, home.account);
    await ensureCluster(home, binaries, log);
    const site = { home, binaries, log, settings };
    const watch = await OrphanWatch.start({ ...site, adoptionMs });
    return await new Supervisor(site, lock, watch).start();
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function lockHome(home: Home): Promise<DirectoryLock> {
  const lock = await lockDirectory(home.path, 'controller');
  if (typeof lock !== 'number') return lock;
  throw new StartError(
    `the embedded database in ${home.path} is in use by the controller with process id ${lock}`,
    'stop that one, or set OVERGRAPH_DATA_DIR to another directory',
  );
}

/** Together with the time to end the server, this is less than a minute. */
const ADOPTION_MS = 25_000;

/** A server that ran for a shorter time keeps failing: the pause before its next start doubles. */
const STEADY_MS = 1_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 10_000;

class Supervisor {
  readonly #abort = new AbortController();
  #current: RunningServer | undefined;
  /** Number of consecutive starts that failed or ran only for a short time. */
  #failures = 0;
  #reviving: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly site: Site,
    private readonly lock: DirectoryLock,
    private readonly watch: OrphanWatch,
  ) {}

  async start(): Promise<EmbeddedServer> {
    const server = await bringUp(this.site, undefined, this.#abort.signal).catch(
      (error: unknown) => {
        this.watch.leave();
        throw error;
      },
    );
    this.#supervise(server);
    return {
      url: urlOf(server.endpoint, 'postgres'),
      directory: this.site.home.cluster,
      adopted: server.adopted,
      stop: () => (this.#stopped ??= this.#stop()),
    };
  }

  #supervise(server: RunningServer): void {
    this.#current = server;
    const since = performance.now();
    void server.postmaster.ended.then((how) => {
      if (this.#abort.signal.aborted) return;
      this.#current = undefined;
      this.#failures = performance.now() - since < STEADY_MS ? this.#failures + 1 : 0;
      this.#reviving = this.#revive(server, how);
    });
  }

  async #revive(former: RunningServer, how: string): Promise<void> {
    this.site.log.error(`the embedded PostgreSQL ended (${how}); starting it again`);
    for (;;) {
      try {
        await this.#pause();
        const server = await bringUp(this.site, former.endpoint, this.#abort.signal);
        this.site.log.warn('the embedded PostgreSQL answers again');
        this.#supervise(server);
        return;
      } catch (error) {
        // Any fault can be temporary, such as a full disk.
        if (this.#abort.signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        this.site.log.error(`${reason}; it will be tried again`);
        this.#failures += 1;
      }
    }
  }

  /** Waits longer after each failure. */
  async #pause(): Promise<void> {
    if (this.#failures === 0) return;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS);
    await delay(pause, undefined, { signal: this.#abort.signal });
  }

  async #stop(): Promise<void> {
    this.#abort.abort();
    await this.#reviving;
    const current = this.#current;
    if (current) await endPostmaster(current.postmaster, this.site);
    if (!(await isServing(this.site.home))) await this.watch.stop();
    else this.watch.leave();
    if (current) await discardEndpoint(current.endpoint);
    await this.lock.release();
  }
}

/** Whether a server runs there, whichever process started it. */
async function isServing(home: Home): Promise<boolean> {
  const file = await readPidFile(home);
  return file !== undefined && (await isLive(home, file));
}
