import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** Time for open requests after the server stops accepting connections. */
const LAST_REQUESTS_MILLIS = 8_000;

/**
 * Tracks all connections of a server, even without a request or a handshake: Node closes only
 * connections that have had a request, and would wait minutes for the others.
 */
export class Connections {
  readonly #open = new Map<string, Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      const key = keyOf(socket);
      this.#open.set(key, socket);
      socket.once('close', () => {
        if (this.#open.get(key) === socket) this.#open.delete(key);
      });
    });
  }

  /** Stops accepting connections, closes idle ones and waits a limited time for open requests. */
  async close(busy: () => Iterable<Socket | null>): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
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
