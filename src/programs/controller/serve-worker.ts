import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { LoginObserver } from '../../trust/auth/index.js';
import type { Config } from '../configuration.js';
import {
  Channel,
  RelayedFeed,
  RelayedLiveEvents,
  type Pulse,
  type ToFirst,
  type ToWorker,
  type WorkerStart,
} from '../workers/index.js';
import type { OrderedStop } from './ordered-stop.js';
import { ServingConnections } from './serving-connections.js';
import type { Siblings } from './siblings.js';
import { startWorker, type ServingProcess } from './start-controller.js';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly ending: OrderedStop;
  /** Ends the process in order. */
  readonly stop: () => void;
  /** Called with the start, when the first process has sent its facts. */
  readonly onStart: (starting: Promise<void>) => void;
}

/** A write waits at most so long for the other processes to apply it. */
const WRITE_MILLIS = 500;
const METRICS_MILLIS = 2_000;

/** A worker of a controller: it serves the connections that the first process gives it. */
export class WorkerProcess {
  readonly #channel: Channel<ToFirst, ToWorker>;
  readonly #liveEvents: RelayedLiveEvents;
  #feed: RelayedFeed | undefined;
  #serving: ServingProcess | undefined;
  #connections: ServingConnections | undefined;
  #reportsLogins = false;
  #pulse: Pulse = { feedSilenceMillis: 0, isWriting: true };

  constructor(private readonly options: WorkerProcessOptions) {
    this.#channel = new Channel<ToFirst, ToWorker>(process, {
      start: (facts) => {
        options.onStart(this.start(facts));
      },
      connection: ({ id, start }, socket) => {
        if (start) socket?.unshift(Buffer.from(start));
        this.receive(id, socket);
      },
      changes: (changes) => {
        this.#feed?.receive(changes);
      },
      pulse: (pulse) => {
        this.#pulse = pulse;
        this.#feed?.heard(pulse.feedSilenceMillis);
      },
      written: (write) => {
        this.#serving?.store.applyWrite(write);
        return true;
      },
      spent: (spending) => {
        this.#serving?.limits.spentElsewhere(spending);
      },
      newKeys: () => {
        void this.#serving?.keys.refresh().catch((err: unknown) => {
          options.log.error({ err }, 'a worker can not load the new key material');
        });
      },
      metrics: () => this.#serving?.metrics() ?? [],
      reportLogins: (areWanted) => {
        this.#reportsLogins = areWanted;
        return true;
      },
      events: (batch) => this.#liveEvents.deliver(batch),
      streamEnded: ({ id }) => {
        this.#liveEvents.ended(id);
      },
      stop: options.stop,
    });
    this.#liveEvents = new RelayedLiveEvents(this.#channel);
  }

  private async start(facts: WorkerStart): Promise<void> {
    const { config, log, ending } = this.options;
    const { databaseUrl, position, reportsLogins } = facts;
    this.#reportsLogins = reportsLogins;
    const feed = new RelayedFeed(position);
    this.#feed = feed;
    const serving = await startWorker({
      config,
      log,
      databaseUrl,
      feed,
      now: () => new Date(),
      siblings: this.siblings(),
      isWriting: () => this.#pulse.isWriting,
      onLogin: this.reportLogin,
      liveEvents: this.#liveEvents,
    });
    this.#serving = serving;
    ending.add('the worker', ServingConnections.controllerMillis, () => serving.stop());
    const connections = new ServingConnections(serving, config);
    this.#connections = connections;
    ending.add('connections', connections.stopMillis, () =>
      connections.stop(() => {
        this.#channel.tell('ending', null);
      }),
    );
    this.#channel.tell('ready', null);
  }

  private siblings(): Siblings {
    const channel = this.#channel;
    return {
      written: async (write) => {
        await channel.ask('written', write, WRITE_MILLIS);
      },
      spent: (spending) => {
        channel.tell('spent', spending);
      },
      metrics: async () => (await channel.ask('metrics', null, METRICS_MILLIS)) ?? [],
    };
  }

  private readonly reportLogin: LoginObserver = (attempt) => {
    if (this.#reportsLogins) this.#channel.tell('login', attempt);
  };

  private receive(id: number, socket: Socket | undefined): void {
    this.#channel.tell('taken', { id });
    const onClosed = (): void => {
      this.#channel.tell('closed', { id });
    };
    // A client that has left meanwhile leaves no socket.
    if (socket && this.#connections) this.#connections.receive(socket, onClosed);
    else {
      socket?.destroy();
      onClosed();
    }
  }
}
