import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { NetworkEnd } from '../../network/control/index.js';
import type { Receiver } from '../../requests/limits/index.js';
import {
  ACCEPTED,
  CHALLENGE_BYTES,
  KEEP_ALIVE_MILLIS,
  PROOF_BYTES,
  REFUSED,
  routerIn,
} from './passage-proof.js';
import { readBytes } from './read-bytes.js';
import { nameOf, type Ends } from './router-admission.js';

export interface PassedConnectionsOptions {
  /** Whether this controller serves the routers. */
  readonly isOwner: () => boolean;
  readonly serve: (socket: Socket) => void;
  readonly secretKey: () => Buffer;
}

/** More connections of other controllers are closed. */
const MAX_CONNECTIONS = 5_000;
const PROOF_MILLIS = 5_000;

/**
 * Connections of routers that another controller has accepted and passes on. They are served here, or
 * closed: a connection is never passed on twice. Its sender is the router, whom the other controller
 * has counted; so once it is proved, it does not count as one of the other controller.
 */
export class PassedConnections {
  /** The routers of the connections, by the names of their sockets here. */
  readonly #routers = new Map<string, NetworkEnd>();

  constructor(private readonly options: PassedConnectionsOptions) {}

  /** Serves a connection after its head. */
  readonly receive: Receiver = (socket, onClosed) => {
    socket.once('close', onClosed);
    void this.admit(socket).then(
      (isServed) => {
        if (!isServed) return;
        socket.off('close', onClosed);
        onClosed();
      },
      () => socket.destroy(),
    );
  };

  /** Gives the router of a connection that was passed on. */
  routerOf(socket: Ends): NetworkEnd | undefined {
    return this.#routers.get(nameOf(socket));
  }

  private async admit(socket: Socket): Promise<boolean> {
    const { isOwner, serve } = this.options;
    const router = await this.provedRouter(socket);
    const isServed =
      router !== undefined &&
      isOwner() &&
      this.#routers.size < MAX_CONNECTIONS &&
      !socket.destroyed;
    if (!isServed) {
      socket.end(Buffer.from([REFUSED]), () => socket.destroy());
      return false;
    }
    const name = nameOf(socket);
    this.#routers.set(name, router);
    socket.once('close', () => this.#routers.delete(name));
    socket.setKeepAlive(true, KEEP_ALIVE_MILLIS);
    socket.write(Buffer.from([ACCEPTED]));
    serve(socket);
    return true;
  }

  private async provedRouter(socket: Socket): Promise<NetworkEnd | undefined> {
    const limit = setTimeout(() => socket.destroy(), PROOF_MILLIS);
    try {
      const challenge = randomBytes(CHALLENGE_BYTES);
      socket.write(challenge);
      const proof = await readBytes(socket, PROOF_BYTES);
      return routerIn(this.options.secretKey(), challenge, proof);
    } finally {
      clearTimeout(limit);
    }
  }
}
