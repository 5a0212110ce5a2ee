import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A Node process of the benchmark. It has printed `ready` when `start` returns. */
export class Child {
  private constructor(private readonly process: ChildProcess) {}

  static async start(
    args: readonly string[],
    env: Record<string, string>,
    ready: string,
  ): Promise<Child> {
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes(ready)) resolve();
      });
      child.once('exit', () => {
        reject(new Error(`${args.at(-1) ?? ''} did not start: ${output}`));
      });
    });
    child.stdout?.removeAllListeners('data').resume();
    return new Child(child);
  }

  /** One question over the process channel; what the other side answers to it. */
  async ask<T>(question: object = {}): Promise<T> {
    const abort = new AbortController();
    const { signal } = abort;
    const ended = once(this.process, 'exit', { signal }).then((): never => {
      throw new Error('a process of the benchmark has ended');
    });
    const answered = once(this.process, 'message', { signal });
    this.process.send(question);
    try {
      const [answer] = (await Promise.race([answered, ended])) as [T];
      return answer;
    } finally {
      abort.abort();
      // What has lost the race is cancelled.
      await Promise.allSettled([answered, ended]);
    }
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGTERM');
    await once(this.process, 'exit');
  }
}
