import type { Logger } from 'pino';
import type { LoginAttempt, LoginObserver } from '../auth/index.js';
import type { RouterConnect } from '../control/index.js';
import {
  apiSessionEvents,
  entityChangeEvents,
  entityCountEvent,
  Events,
  fabricEvent,
  loginEvent,
  routerConnectEvent,
  SdkEvents,
  sessionEvents,
  TerminatorEvents,
  typeOfFact,
  type EventSinkSettings,
} from '../events/index.js';
import type { FabricFact } from '../fabric/index.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { LoggedChange, Store } from '../kernel/request/store-port.js';
import type { ClientEvent, RouterPresence } from '../presence/index.js';
import { Leases } from '../store/leases.js';
import { every } from './every.js';
import type { Stops } from './stops.js';
import { warn } from './warn.js';

export interface ControllerEventsOptions {
  readonly settings: readonly EventSinkSettings[];
  readonly controllerId: string;
  readonly version: string;
  readonly store: Store;
  readonly catalog: Catalog;
  readonly now: () => Date;
  readonly log: Logger;
}

/** One controller delivers the events that all have: the one with this lease. */
const LEASE = 'events';
/** Well below the life of a lease. */
const HOLD_MILLIS = 5_000;
const FAILED = 'an event could not be made';
const LEASE_FAILED = 'the lease of the events could not be renewed';

/** The events that a controller delivers, from what its parts report. */
export class ControllerEvents {
  readonly #events: Events;
  readonly #terminators: TerminatorEvents;
  readonly #clients: SdkEvents;
  readonly #leases: Leases;
  readonly #stops: Stops = [];
  /** The connected routers of the network, as soon as this controller knows them. */
  routers: Pick<RouterPresence, 'router'> | undefined;

  constructor(private readonly options: ControllerEventsOptions) {
    const { settings, controllerId, store, now, log } = options;
    this.#events = new Events({
      settings,
      controllerId,
      onDropped: (sink, count) => {
        log.warn({ sink, count }, 'events were dropped: their sink does not take them fast enough');
      },
      onFault: (sink, error) => {
        log.warn({ sink, err: error }, 'events could not be written; it will be tried again');
      },
    });
    this.#terminators = new TerminatorEvents({
      store,
      isOnline: (routerId) => this.routers?.router(routerId) !== undefined,
      publish: (event) => {
        this.#events.publish(event);
      },
      onError: this.onError,
    });
    this.#clients = new SdkEvents((event) => {
      this.#events.publish(event);
    }, now);
    this.#leases = new Leases(store, warn(log, LEASE_FAILED));
  }

  /** Starts to deliver what the network counts and changes. */
  async start(): Promise<void> {
    const { log } = this.options;
    await this.holdLease().catch(warn(log, LEASE_FAILED));
    this.#stops.push(stopOf(every(HOLD_MILLIS, () => this.holdLease(), warn(log, LEASE_FAILED))));
    for (const intervalMillis of this.#events.intervals('entityCount')) {
      const count = (): Promise<void> => this.countEntities(intervalMillis);
      count().catch(this.onError);
      this.#stops.push(stopOf(every(intervalMillis, count, this.onError)));
    }
  }

  /** Takes the logins of this controller; undefined when no sink wants them. */
  get onLogin(): LoginObserver | undefined {
    return this.#events.has('authentication') ? this.applyLogin : undefined;
  }

  /** Takes the changes that the feed delivers. */
  readonly applyChanges = (changes: readonly LoggedChange[]): void => {
    const { version } = this.options;
    if (this.#events.hasShared('entityChange')) {
      this.publishAll(changes, (change) => entityChangeEvents(change, version));
    }
    if (this.#events.hasShared('apiSession')) this.publishAll(changes, apiSessionEvents);
    if (this.#events.hasShared('session')) this.publishAll(changes, sessionEvents);
    if (this.#events.hasShared('terminator')) this.#terminators.applyChanges(changes);
  };

  /** Takes what happens to routers, links and circuits that this controller serves. */
  readonly applyFact = (fact: FabricFact): void => {
    const at = this.options.now();
    if (this.#events.has(typeOfFact(fact))) this.#events.publish(fabricEvent(fact, at));
    if (fact.kind !== 'routerOnline' && fact.kind !== 'routerOffline') return;
    const isOnline = fact.kind === 'routerOnline';
    if (!isOnline) this.#clients.routerLost(fact.routerId);
    if (!this.#events.has('terminator')) return;
    this.#terminators.routerChanged({ routerId: fact.routerId, isOnline, at });
  };

  /** Takes the connection of a router. */
  readonly applyConnect = (connect: RouterConnect): void => {
    const { now, controllerId } = this.options;
    this.#events.publish(routerConnectEvent(connect, { at: now(), controllerId }));
  };

  /** Takes what a router reports about its clients. */
  readonly applyClients = (
    routerId: string,
    clients: readonly ClientEvent[],
    isFullState: boolean,
  ): void => {
    if (this.#events.has('sdk')) this.#clients.report(routerId, clients, isFullState);
  };

  /** Delivers what waits. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.#terminators.stop();
    await Promise.all([this.#leases.stop(), this.#events.stop()]);
  }

  private readonly applyLogin = (attempt: LoginAttempt): void => {
    this.#events.publish(loginEvent(attempt));
  };

  private readonly onError = (error: unknown): void => {
    this.options.log.warn({ err: error }, FAILED);
  };

  private async holdLease(): Promise<void> {
    this.#events.speaksForAll = await this.#leases.hold(LEASE);
  }

  private async countEntities(intervalMillis: number): Promise<void> {
    if (!this.#events.hasShared('entityCount')) return;
    const { store, catalog, now } = this.options;
    const event = await entityCountEvent(store, catalog, { at: now(), intervalMillis });
    this.#events.publish(event);
  }

  private publishAll(
    changes: readonly LoggedChange[],
    eventsOf: (change: LoggedChange) => Parameters<Events['publish']>[0][],
  ): void {
    for (const change of changes) {
      for (const event of eventsOf(change)) this.#events.publish(event);
    }
  }
}

const stopOf = (timer: NodeJS.Timeout) => (): Promise<void> => {
  clearInterval(timer);
  return Promise.resolve();
};
