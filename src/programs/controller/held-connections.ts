import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { hostPortOf } from '../../base/host-port.js';
import { endsOf } from '../../network/control/index.js';
import type { Receiver } from '../../requests/limits/index.js';
import { joinSockets } from './join-sockets.js';
import { openPassage } from './open-passage.js';

export interface HeldConnectionsOptions {
  /** Whether this controller serves the routers. */
  readonly isOwner: () => boolean;
  /** Where the controller that serves them is reached, as `host:port`; undefined: that is not said. */
  readonly ownerAddress: () => string | undefined;
  readonly serve: (socket: Socket) => void;
  readonly secretKey: () => Buffer;
  readonly log: Logger;
}

/** Connections that are held or passed on; more are closed. */
const MAX_CONNECTIONS = 5_000;
/** A router gives up after 5 seconds by itself. */
const HELD_MILLIS = 10_000;
/** Connections that begin to be passed on. */
const MAX_AT_ONCE = 16;
const UNREACHED =
  'connections of routers wait: the controller that serves routers is not reached at the address that it gives';

/**
 * The connections of routers at a controller that may not serve them. It passes them on to the one that
 * does, unread: their handshakes are made there. While there is none, it holds them, since a router that
 * is refused waits for up to a minute. When another controller serves the routers than the one to which it passed
 * connections on, it closes them: the former one may hang, and their routers would stay with it.
 */
export class HeldConnections {
  /** Held ones with the ends of their time. */
  readonly #held = new Map<Socket, NodeJS.Timeout>();
  readonly #passing = new Set<Socket>();
  /** Those passed on, with the addresses of the controllers to which. */
  readonly #passed = new Map<Socket, string>();
  /** The address that was not reached the last time. */
  #unreached: string | undefined;
  #isStopped = false;

  constructor(private readonly options: HeldConnectionsOptions) {}

  readonly receive: Receiver = (socket, onClosed) => {
    socket.once('close', () => {
      this.forget(socket);
      onClosed();
    });
    const { isOwner, serve } = this.options;
    const isFull = this.#held.size + this.#passed.size >= MAX_CONNECTIONS;
    if (isOwner()) serve(socket);
    else if (this.#isStopped || isFull) socket.destroy();
    else {
      const end = setTimeout(() => socket.destroy(), HELD_MILLIS).unref();
      this.#held.set(socket, end);
      this.move();
    }
  };

  /** Serves or passes on what is held, as far as it is possible now, and closes what a former owner has. */
  move(): void {
    const address = this.options.ownerAddress();
    this.closeFormer(address);
    for (const socket of [...this.#held.keys()]) {
      if (this.#passing.has(socket)) continue;
      if (this.options.isOwner()) {
        this.forget(socket);
        this.options.serve(socket);
      } else if (address !== undefined && this.#passing.size < MAX_AT_ONCE) {
        void this.pass(socket, address);
      }
    }
  }

  /** Closes what is held or passed on, and what still comes. */
  stop(): void {
    this.#isStopped = true;
    for (const socket of [...this.#held.keys(), ...this.#passed.keys()]) socket.destroy();
  }

  /** A lease that is free changes nothing: its holder may continue. */
  private closeFormer(address: string | undefined): void {
    const isOwner = this.options.isOwner();
    if (!isOwner && address === undefined) return;
    for (const [socket, passedTo] of [...this.#passed]) {
      if (isOwner || passedTo !== address) socket.destroy();
    }
  }

  private async pass(socket: Socket, address: string): Promise<void> {
    this.#passing.add(socket);
    try {
      const passage = await this.open(socket, address);
      this.#unreached = undefined;
      if (socket.destroyed) passage.destroy();
      else {
        this.forget(socket);
        this.#passed.set(socket, address);
        joinSockets(socket, passage);
      }
    } catch (err) {
      // It is tried again soon: the other controller may just have died.
      const { log } = this.options;
      if (this.#unreached !== address) log.warn({ err, address }, UNREACHED);
      this.#unreached = address;
      return;
    } finally {
      this.#passing.delete(socket);
    }
    this.move();
  }

  private open(socket: Socket, address: string): Promise<Socket> {
    const to = hostPortOf(address);
    if (!to) throw new Error('it is no address');
    const { router } = endsOf(socket);
    return openPassage(to, { secretKey: this.options.secretKey(), router });
  }

  private forget(socket: Socket): void {
    clearTimeout(this.#held.get(socket));
    this.#held.delete(socket);
    this.#passed.delete(socket);
  }
}
