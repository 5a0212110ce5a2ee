import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The built controller as somebody at a terminal sees it: what it prints and how it ends. */
export class Program {
  stdout = '';
  stderr = '';
  readonly child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, ['dist/program/main.js'], {
      env: { PATH: process.env.PATH, OVERGRAPH_WORKERS: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#ended = once(this.child, 'close');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** What it printed until it was ready. */
  async ready(): Promise<string> {
    await Promise.race([
      this.#ended,
      new Promise<void>((resolve) => {
        this.child.stdout?.on('data', () => {
          if (/is ready on[\s\S]*authenticate\?method=password/.test(this.stdout)) resolve();
        });
      }),
    ]);
    if (this.hasEnded) throw new Error(`it ended: ${this.stdout}${this.stderr}`);
    return this.stdout;
  }

  /** The exit code, once all it printed is here. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal && !this.hasEnded) this.child.kill(signal);
    await this.#ended;
    return this.child.exitCode;
  }
}
