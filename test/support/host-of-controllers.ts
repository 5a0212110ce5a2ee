import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** After so many starts another process takes over: each stopped controller leaves some memory in use. */
const MAX_STARTS = 20;

/** The process that runs the controllers of a worker's test files, for many files. */
export class HostOfControllers {
  #lastNumber = 0;
  #running = 0;
  readonly #waiting = new Map<number, (fault?: string) => void>();
  readonly #process: ChildProcess;

  private constructor() {
    this.#process = fork(join(process.cwd(), 'test/support/controller-host.mjs'), [], {
      env: { PATH: process.env.PATH },
      // Banners and logs are for nobody; what is written as the last resort is.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    this.#process.on('message', ({ number, fault }: { number: number; fault?: string }) => {
      this.#answered(number, fault);
    });
    this.#process.once('exit', (code, signal) => {
      if (shared.hostOfControllers === this) shared.hostOfControllers = undefined;
      for (const number of this.#waiting.keys()) {
        this.#answered(number, `the host ended: ${String(code ?? signal)}`);
      }
    });
    // It ends with the worker, which does not wait for it.
    this.#process.unref();
    this.#process.channel?.unref();
  }

  static ofWorker(): HostOfControllers {
    const host = shared.hostOfControllers;
    if (host && !host.isSpent()) return host;
    host?.end();
    return (shared.hostOfControllers = new HostOfControllers());
  }

  isSpent(): boolean {
    return this.#running === 0 && this.#lastNumber >= MAX_STARTS;
  }

  end(): void {
    this.#process.disconnect();
  }

  /** Starts a controller with these variables alone; gives its end. */
  async start(env: Record<string, string | undefined>): Promise<() => Promise<void>> {
    const number = ++this.#lastNumber;
    this.#running += 1;
    let end: Promise<void> | undefined;
    const stop = (): Promise<void> =>
      (end ??= this.#ask(number).finally(() => {
        this.#running -= 1;
      }));
    try {
      await this.#ask(number, env);
      return stop;
    } catch (error) {
      await stop();
      throw error;
    }
  }

  #ask(number: number, env?: Record<string, string | undefined>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, (fault) => {
        if (fault === undefined) resolve();
        else reject(new Error(`the controller did not ${env ? 'start' : 'stop'}: ${fault}`));
      });
      this.#process.channel?.ref();
      this.#process.send({ number, env });
    });
  }

  #answered(number: number, fault?: string): void {
    this.#waiting.get(number)?.(fault);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#process.channel?.unref();
  }
}

/**
 * Modules under `test/` are evaluated for each file, so a worker keeps its host where they all see it. It may be of
 * another evaluation of the class, whose private members this one can not read.
 */
const shared = process as { hostOfControllers?: HostOfControllers | undefined };
