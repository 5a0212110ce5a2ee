import type { Socket } from 'node:net';

/** A connection on its way to another process. */
export interface Connection {
  readonly socket: Socket;
  readonly onClosed: () => void;
  readonly start: Buffer | undefined;
}

/**
 * Hands connections over to a process, one at a time: Node sends nothing else to a process until it has the
 * connection that was sent. With many on their way, the changes that a process must know of would wait behind
 * them all, and so would each write that waits for the answer to those.
 */
export class Handover {
  /** Those that the process has not taken, in their order; the first of them is on its way. */
  readonly #untaken = new Map<number, Connection>();

  constructor(private readonly send: (id: number, connection: Connection) => void) {}

  give(id: number, connection: Connection): void {
    this.#untaken.set(id, connection);
    if (this.#untaken.size === 1) this.send(id, connection);
  }

  /** The process has taken a connection. */
  taken(id: number): void {
    this.#untaken.get(id)?.socket.destroy();
    this.#untaken.delete(id);
    const [next] = this.#untaken;
    if (next) this.send(...next);
  }

  /** The connections that the process has not taken, by their ids. */
  get untaken(): ReadonlyMap<number, Connection> {
    return this.#untaken;
  }
}
