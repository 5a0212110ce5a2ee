import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LISTEN = `
  require('node:net').createServer().listen({ path: process.argv[1], backlog: 1 }, () => {
    process.stdout.write('listens');
  });
`;

/** A process that listens where PostgreSQL would, and takes no connection since it is stopped. */
export class StandstillServer {
  readonly #waiting: Socket[] = [];

  private constructor(
    /** The folder of its socket. */
    readonly folder: string,
    private readonly process: ChildProcess,
  ) {}

  static async start(): Promise<StandstillServer> {
    const folder = await mkdtemp(join(tmpdir(), 'overgraph-standstill-'));
    const process = spawn(globalThis.process.execPath, ['-e', LISTEN, socketIn(folder)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(process.stdout, 'data');
    process.kill('SIGSTOP');
    return new StandstillServer(folder, process);
  }

  /** Connects until no more connections may wait. */
  async fill(): Promise<void> {
    for (;;) {
      const socket = connect(socketIn(this.folder));
      // Rejects with the error of the socket.
      const isTaken = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (!isTaken) return;
      this.#waiting.push(socket);
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    const ended = once(this.process, 'close');
    this.process.kill('SIGKILL');
    await ended;
    await rm(this.folder, { recursive: true });
  }
}

const socketIn = (folder: string): string => join(folder, '.s.PGSQL.5432');
