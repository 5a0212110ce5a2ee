import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { builtProgram } from '../../../base/program-folder.js';
import { environment } from './environment.js';
import { watchFile, type WatchOrder } from './watch-order.js';

interface Site {
  readonly home: { readonly path: string; readonly cluster: string };
  readonly binaries: { readonly pgCtl: string };
  readonly log: { warn(message: string): void };
  readonly adoptionMs: number;
}

const PROGRAM = builtProgram('orphan-watch-process');

/**
 * A shell waits for the end of the pipe and then becomes the program, with the same process id: it
 * takes 1 to 3 MB, and the program more than 40 MB. Of the system's own means, `prctl` is out of
 * Node's reach and leaves no time for an adoption, and PostgreSQL does not watch its parent.
 */
const SHELL = '/bin/sh';
const WAIT = 'read -r nothing; exec "$@"';

/** The command of a watch; without a shell the program itself waits. */
function commandOf(order: WatchOrder): [command: string, ...args: string[]] {
  const program: [string, ...string[]] = [process.execPath, PROGRAM, JSON.stringify(order)];
  const hasShell = process.platform !== 'win32' && existsSync(SHELL);
  return hasShell ? [SHELL, '-c', WAIT, 'watch', ...program] : program;
}

/** The pause before a watch that ended is replaced. */
const REPLACE_MS = 1_000;

/**
 * A separate process that ends the PostgreSQL of a killed controller if no other controller adopts
 * the server in time. It waits for the end of a pipe, which the system closes whenever the
 * controller ends. A file in the home directory names the newest watch; older ones end when they
 * see it.
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

  /** Ends the watch, after the server has ended. */
  async stop(): Promise<void> {
    const child = this.#detach();
    // Keeps this process alive until the watch has ended.
    child?.ref();
    const ended = child && once(child, 'exit');
    if (child?.kill('SIGKILL') === true) await ended;
    await rm(watchFile(this.site.home.path), { force: true });
  }

  /** Lets the watch end the server, which this process could not end. */
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
    const [command, ...args] = commandOf(order);
    const child = spawn(command, args, {
      ...environment(),
      cwd: '/',
      // An interrupt at the terminal must not reach it.
      detached: true,
      windowsHide: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child = child;
    // A killed watch breaks the pipe; the `exit` event reports its end.
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
