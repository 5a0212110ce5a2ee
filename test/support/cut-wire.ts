import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How a connection ends: before what was sent arrives, or before its answer does. */
export type Cut = 'before it arrives' | 'before it is answered';

/** The type of a simple query and its length in bytes come before the text of a notice. */
const NOTICE_AT = 5;
const NOTICE = 'notify ';

/**
 * A wire to a PostgreSQL that breaks at a chosen message of the client, and is whole again at once. It
 * counts the messages of requests alone: neither the first one of each connection, which opens it, nor
 * notices of changes, which the store sends at a time of its own after a write.
 */
export class CutWire {
  /** Messages until the cut; undefined: it is made, or there is none to make. */
  #left: number | undefined;
  #how: Cut = 'before it arrives';
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly path: string,
  ) {
    server.on('connection', (near) => {
      this.join(near);
    });
  }

  /** To a unix socket. */
  static async to(path: string): Promise<CutWire> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CutWire(server, path);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks the connection that brings the message of this number, counted from now on from 1. */
  cutAt(message: number, how: Cut): void {
    this.#left = message;
    this.#how = how;
  }

  /** Whether the cut is still to come; it is not made any more. */
  spare(): boolean {
    const isSpared = this.#left !== undefined;
    this.#left = undefined;
    return isSpared;
  }

  async stop(): Promise<void> {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.server, 'close');
  }

  private join(near: Socket): void {
    const far = connect(this.path);
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    let isOpening = true;
    near.on('data', (chunk: Buffer) => {
      const isCounted = !isOpening && !isNotice(chunk);
      isOpening = false;
      if (isCounted && this.isCutHere()) this.cut(near, far, chunk);
      else far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => near.write(chunk));
    near.on('close', () => far.end());
    far.on('close', () => near.destroy());
  }

  private isCutHere(): boolean {
    if (this.#left === undefined) return false;
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = undefined;
    return true;
  }

  private cut(near: Socket, far: Socket, chunk: Buffer): void {
    if (this.#how === 'before it arrives') {
      far.destroy();
      near.resetAndDestroy();
      return;
    }
    far.removeAllListeners('data');
    // The answer is swallowed; by then the server has done what it was asked.
    far.once('data', () => {
      far.destroy();
      near.resetAndDestroy();
    });
    far.write(chunk);
  }
}

const isNotice = (message: Buffer): boolean =>
  message.toString('latin1', NOTICE_AT, NOTICE_AT + NOTICE.length) === NOTICE;
