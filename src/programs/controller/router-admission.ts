import type { Socket } from 'node:net';

/** Connections whose handshake and hello are worked on at once. */
const MAX_AT_ONCE = 2;
/** Other work is done between them. */
const PAUSE_MILLIS = 5;
/** A connection that begins slowly holds up others for so long. */
const MAX_MILLIS = 100;

/** Two ends that tell connections apart. */
export type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

/**
 * Lets a few connections of routers begin at a time. All routers connect at once after a restart of
 * the controller, and the handshakes of hundreds would hold up everybody else for seconds.
 */
export class RouterAdmission {
  readonly #waiting = new Map<string, Socket>();
  readonly #beginning = new Map<string, NodeJS.Timeout>();

  constructor(private readonly begin: (socket: Socket) => void) {}

  /** Adds a connection behind those that wait. */
  add(socket: Socket): void {
    const name = nameOf(socket);
    this.#waiting.set(name, socket);
    socket.once('close', () => {
      this.#waiting.delete(name);
      this.endOf(name);
    });
    this.next();
  }

  /** A connection has begun, or is refused. */
  end(socket: Ends): void {
    this.endOf(nameOf(socket));
  }

  private next(): void {
    for (const [name, socket] of this.#waiting) {
      if (this.#beginning.size >= MAX_AT_ONCE) return;
      this.#waiting.delete(name);
      const end = setTimeout(() => {
        this.endOf(name);
      }, MAX_MILLIS);
      this.#beginning.set(name, end);
      this.begin(socket);
    }
  }

  private endOf(name: string): void {
    clearTimeout(this.#beginning.get(name));
    if (!this.#beginning.delete(name)) return;
    setTimeout(() => {
      this.next();
    }, PAUSE_MILLIS).unref();
  }
}

export const nameOf = ({ remoteAddress, remotePort, localPort }: Ends): string =>
  [remoteAddress, remotePort, localPort].join(' ');
