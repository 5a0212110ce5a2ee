import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** Time for open requests after the last connection was received. */
const LAST_REQUESTS_MILLIS = 8_000;

/**
 * Passes connections to an HTTPS server and tracks them, even without a request or a handshake: Node
 * closes only connections that have had a request, and would wait minutes for the others.
 */
export class Connections {
  readonly #open = new Map<string, Socket>();
  #isClosing = false;
  /** Called when no connection is open. */
  #onEmpty: () => void = () => undefined;

  constructor(private readonly server: Server) {}

  /** Serves an accepted connection. */
  serve(socket: Socket, onClosed: () => void): void {
    const key = keyOf(socket);
    this.#open.set(key, socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      onClosed();
      if (this.#open.get(key) === socket) this.#open.delete(key);
      if (this.#open.size === 0) this.#onEmpty();
    });
    if (this.#isClosing) socket.destroy();
    else this.server.emit('connection', socket);
  }

  /** Closes idle connections and waits a limited time for open requests. */
  async close(busy: () => Iterable<Socket | null>): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    if (this.#open.size === 0) this.#onEmpty();
    this.server.close();
    this.destroyAllBut(new Set([...busy()].map(keyOf)));
    const timer = setTimeout(() => {
      this.destroyAllBut(new Set());
    }, LAST_REQUESTS_MILLIS);
    await closed;
    clearTimeout(timer);
  }

  private destroyAllBut(busyKeys: ReadonlySet<string>): void {
    for (const [key, socket] of this.#open) if (!busyKeys.has(key)) socket.destroy();
  }
}

/** The key of a connection, equal for its TCP socket and its TLS socket. */
const keyOf = (socket: Socket | null): string =>
  `${socket?.remoteAddress ?? ''} ${String(socket?.remotePort)}`;
