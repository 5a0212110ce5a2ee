import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../configuration.js';
import type { Receiver } from '../../requests/limits/index.js';
import { Connections } from './connections.js';
import { httpsServer } from './listener.js';
import type { ServingProcess } from './start-controller.js';

/** Longer than the time for the last requests. */
const CONNECTIONS_MS = 10_000;

/** The connections that a process serves. */
export class ServingConnections {
  /** The time limit to stop what serves them. */
  static readonly controllerMillis = 15_000;
  /** The time limit of `stop`. */
  readonly stopMillis: number;
  readonly #connections: Connections;

  constructor(
    private readonly serving: ServingProcess,
    private readonly config: Pick<Config, 'drainMs'>,
  ) {
    const server = httpsServer(serving.app, serving.keys, serving.messages);
    server.on('upgrade', serving.upgrade);
    this.#connections = new Connections(server);
    this.stopMillis = config.drainMs + CONNECTIONS_MS;
  }

  /** Serves an accepted connection. */
  readonly receive: Receiver = (socket, onClosed) => {
    this.#connections.serve(socket, onClosed);
  };

  /** Continues for the time of a drain, then ends all connections after their last answer. */
  async stop(whenDrained: () => void): Promise<void> {
    this.serving.drain();
    await delay(this.config.drainMs);
    whenDrained();
    await this.serving.endSubscriptions();
    await this.#connections.close(() => this.serving.busySockets());
  }
}
