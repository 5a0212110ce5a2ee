import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** How long requests under way may take once nobody is let in any more. */
const LAST_REQUESTS_MILLIS = 8_000;

/**
 * All connections of a server, those without a request or a handshake too: Node closes only
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

  /** Lets nobody in any more, and ends when all are gone: those with a request have some time for it. */
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

  private destroyAllBut(spared: ReadonlySet<string>): void {
    for (const [key, socket] of this.#open) if (!spared.has(key)) socket.destroy();
  }
}

/** The same for a connection and for the TLS socket on top of it. */
const keyOf = (socket: Socket | null): string =>
  `${socket?.remoteAddress ?? ''} ${String(socket?.remotePort)}`;
