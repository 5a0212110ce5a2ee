import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM_FOLDER } from '../../base/program-folder.js';
import { environment } from './environment.js';
import { watchFile, type WatchOrder } from './watch-order.js';

interface Site {
  readonly home: { readonly path: string; readonly cluster: string };
  readonly binaries: { readonly pgCtl: string };
  readonly log: { warn(message: string): void };
  readonly adoptionMs: number;
}

/** The pause before a watch that ended is replaced. */
const REPLACE_MS = 1_000;

/**
 * A process of its own beside a controller, which ends the controller's PostgreSQL when the
 * controller was killed and no other one adopts the server in time. It waits at a pipe, which the
 * system closes however the controller ends. The newest watch of a home is named in a file there;
 * an older one ends when it sees that.
 */
export class OrphanWatch {
  readonly #token = randomUUID();
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  private constructor(private readonly site: Site) {}

  static async start(site: Site): Promise<OrphanWatch> {
    const watch = new OrphanWatch(site);
    await writeFile(watchFile(site.home.path), watch.#token, { mode: 0o600 });
    watch.#spawn();
    return watch;
  }

  /** There is no server any more. */
  async stop(): Promise<void> {
    const child = this.#detach();
    // Its end is waited for, also where nothing else keeps this process alive.
    child?.ref();
    const ended = child && once(child, 'exit');
    if (child?.kill('SIGKILL') === true) await ended;
    await rm(watchFile(this.site.home.path), { force: true });
  }

  /** Leaves a server to it that this process can not end. */
  leave(): void {
    this.#detach()?.stdin?.end();
  }

  #detach(): ChildProcess | undefined {
    this.#stopped = true;
    clearTimeout(this.#timer);
    return this.#child;
  }

  #spawn(): void {
    const { home, binaries, adoptionMs } = this.site;
    const order: WatchOrder = {
      home: home.path,
      cluster: home.cluster,
      pgCtl: binaries.pgCtl,
      token: this.#token,
      adoptionMs,
    };
    const child = spawn(process.execPath, [program(), JSON.stringify(order)], {
      ...environment(),
      cwd: '/',
      // An interrupt typed at the terminal is not for it.
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child = child;
    // A watch that is killed breaks the pipe; its end is heard of anyway.
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => {
      this.#replace(String(error));
    });
    child.once('exit', (code, signal) => {
      this.#replace(signal ?? `exit code ${String(code)}`);
    });
    child.unref();
    if (child.stdin instanceof Socket) child.stdin.unref();
  }

  #replace(how: string): void {
    this.#child = undefined;
    if (this.#stopped) return;
    this.site.log.warn(
      `the process that watches over the embedded PostgreSQL ended (${how}); starting it again`,
    );
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#spawn();
    }, REPLACE_MS).unref();
  }
}

/** Where sources are run as they are, what Node can run is in the build. */
function program(): string {
  const beside = fileURLToPath(new URL('orphan-watch-process.js', import.meta.url));
  const built = join(PROGRAM_FOLDER, 'dist/src/store/embedded/orphan-watch-process.js');
  return existsSync(beside) ? beside : built;
}
