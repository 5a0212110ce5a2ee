import type { Logger } from 'pino';
import { isLoginEvent, type LoginAttempt } from '../../trust/auth/index.js';
import type { RouterConnect, RouterTraces } from '../../network/control/index.js';
import {
  apiSessionEvents,
  entityChangeEvents,
  entityCountEvent,
  Events,
  fabricEvent,
  isSingleFact,
  loginEvent,
  metricsEvents,
  routerConnectEvent,
  SdkEvents,
  ServiceEvents,
  sessionEvents,
  TerminatorEvents,
  traceEvent,
  typeOfFact,
  usageEvents,
  type EventSinkSettings,
  type LiveEvents,
  type LiveReader,
  type LiveStream,
  type NetworkEvent,
  type Subscription,
  type ToggleTraces,
} from '../../network/events/index.js';
import type { FabricFact, FabricOptions } from '../../network/fabric/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { LoggedChange, Store } from '../../kernel/request/store-port.js';
import type { ClientEvent, RouterPresence } from '../../network/presence/index.js';
import type { ChannelTrace } from '../../network/messages/index.js';
import { Leases } from '../../data/store/leases.js';
import { every } from './every.js';
import type { Stops } from './stops.js';
import { warn } from './warn.js';

export interface ControllerEventsOptions {
  /** The configured sinks. */
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
export class ControllerEvents implements LiveEvents {
  readonly #events: Events;
  readonly #terminators: TerminatorEvents;
  readonly #clients: SdkEvents;
  readonly #services: ServiceEvents;
  readonly #leases: Leases;
  readonly #stops: Stops = [];
  #counting: Promise<NetworkEvent> | undefined;
  /** The connected routers of the network, as soon as this controller knows them. */
  routers: Pick<RouterPresence, 'router'> | undefined;
  #routerTraces: Pick<RouterTraces, 'toggle' | 'want'> | undefined;
  /** Called when the logins of other processes are wanted, and when they are not any more. */
  onLoginsWanted: (areWanted: boolean) => Promise<void> = () => Promise.resolve();
  #areLoginsWanted: boolean;
  #loginsReported: Promise<void> = Promise.resolve();

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
      now,
      publish: (event) => {
        this.#events.publish(event);
      },
      onError: this.onError,
    });
    this.#clients = new SdkEvents((event) => {
      this.#events.publish(event);
    }, now);
    this.#services = new ServiceEvents((event) => {
      this.#events.publish(event);
    }, now);
    this.#leases = new Leases(store, warn(log, LEASE_FAILED));
    this.#areLoginsWanted = this.wantsLogins;
  }

  /** Starts to deliver to the configured sinks what the network counts and changes. */
  async start(): Promise<void> {
    const { log, settings } = this.options;
    if (settings.length === 0) return;
    await this.holdLease().catch(warn(log, LEASE_FAILED));
    this.#stops.push(stopOf(every(HOLD_MILLIS, () => this.holdLease(), warn(log, LEASE_FAILED))));
    for (const intervalMillis of this.#events.intervals('entityCount')) {
      const timer = this.countEach(intervalMillis, async () => {
        if (this.#events.hasShared('entityCount')) {
          this.#events.publish(await this.countEntities(intervalMillis));
        }
      });
      this.#stops.push(stopOf(timer));
    }
  }

  /** Opens a stream of events to a client. */
  readonly open = (subscriptions: readonly Subscription[], reader: LiveReader): LiveStream => {
    const sink = this.#events.open(subscriptions, {
      deliver: reader.deliver,
      onEnd: () => {
        close();
        reader.onEnd();
      },
    });
    const timers = sink.intervals.map((intervalMillis) =>
      this.countEach(intervalMillis, async () => {
        sink.publish(await this.countEntities(intervalMillis));
      }),
    );
    this.reportTraces();
    const close = (): void => {
      for (const timer of timers) clearInterval(timer);
      this.#events.close(sink);
      this.reportTraces();
      void this.reportLogins();
    };
    return { ready: this.reportLogins(), close };
  };

  /** The traces of the routers, as soon as this controller may serve routers. */
  set routerTraces(traces: Pick<RouterTraces, 'toggle' | 'want'>) {
    this.#routerTraces = traces;
    this.reportTraces();
  }

  readonly toggleTraces: ToggleTraces = (toggle) =>
    this.#routerTraces?.toggle(toggle) ??
    Promise.resolve({ isSuccess: false, text: 'the controller starts: try again\n' });

  /** Takes a message that a router has traced. */
  readonly applyTrace = (trace: ChannelTrace): void => {
    this.#events.publish(traceEvent(trace, this.options.now()));
  };

  /** Whether anybody wants to know of logins. */
  get wantsLogins(): boolean {
    return this.#events.has('authentication');
  }

  /** Takes the logins of this controller. */
  readonly applyLogin = (attempt: LoginAttempt): void => {
    if (this.wantsLogins && isLoginEvent(attempt)) this.#events.publish(loginEvent(attempt));
  };

  /** Takes the changes that the feed delivers. */
  readonly applyChanges = (changes: readonly LoggedChange[]): void => {
    if (this.#events.hasShared('entityChange')) {
      this.publishAll(changes, (change) => entityChangeEvents(change, this.options));
    }
    if (this.#events.hasShared('apiSession')) this.publishAll(changes, apiSessionEvents);
    if (this.#events.hasShared('session')) this.publishAll(changes, sessionEvents);
    if (this.#events.hasShared('terminator')) this.#terminators.applyChanges(changes);
  };

  /** Takes what happens to routers, links and circuits that this controller serves. */
  readonly applyFact = (fact: FabricFact): void => {
    const at = this.options.now();
    if (this.#events.has('service')) this.#services.applyFact(fact);
    if (!isSingleFact(fact)) return;
    if (this.#events.has(typeOfFact(fact))) this.#events.publish(fabricEvent(fact, at));
    if (fact.kind !== 'routerOnline' && fact.kind !== 'routerOffline') return;
    const isOnline = fact.kind === 'routerOnline';
    if (!isOnline) this.#clients.routerLost(fact.routerId);
    if (!this.#events.has('terminator')) return;
    this.#terminators.routerChanged({ routerId: fact.routerId, isOnline, at });
  };

  /** Takes what a router has measured and counted. */
  readonly applyReport: FabricOptions['onReport'] = (report, links) => {
    if (report.isRepeated) return;
    const events = [
      ...(this.#events.has('usage') ? usageEvents(report, this.options.now()) : []),
      ...(this.#events.has('metrics') ? metricsEvents(report, links) : []),
    ];
    for (const event of events) this.#events.publish(event);
  };

  /** Takes the connection of a router. */
  readonly applyConnect = (connect: RouterConnect): void => {
    const { now, controllerId } = this.options;
    if (!this.#events.has('connect')) return;
    this.#events.publish(routerConnectEvent(connect, { at: now(), controllerId }));
  };

  /** Takes what a router reports about its clients. */
  readonly applyClients = (
    routerId: string,
    clients: readonly ClientEvent[],
    isFullState: boolean,
  ): void => {
    // The state is kept without a reader, too: later events depend on it.
    this.#clients.report(routerId, clients, isFullState);
  };

  /** Delivers what waits. */
  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    this.#services.flush();
    await this.#terminators.stop();
    await Promise.all([this.#leases.stop(), this.#events.stop()]);
  }

  /** Lets the other processes report logins while anybody wants them. */
  private reportLogins(): Promise<void> {
    if (this.#areLoginsWanted !== this.wantsLogins) {
      this.#areLoginsWanted = this.wantsLogins;
      this.#loginsReported = this.onLoginsWanted(this.#areLoginsWanted);
    }
    return this.#loginsReported;
  }

  /** Lets routers trace while a client streams traces. */
  private reportTraces(): void {
    this.#routerTraces?.want(this.#events.has('trace'));
  }

  private readonly onError = (error: unknown): void => {
    this.options.log.warn({ err: error }, FAILED);
  };

  private async holdLease(): Promise<void> {
    this.#events.speaksForAll = await this.#leases.hold(LEASE);
  }

  /** Counts at once and then at the interval. */
  private countEach(intervalMillis: number, count: () => Promise<void>): NodeJS.Timeout {
    count().catch(this.onError);
    return every(intervalMillis, count, this.onError);
  }

  private async countEntities(intervalMillis: number): Promise<NetworkEvent> {
    const { store, catalog, now } = this.options;
    // One statement at a time, however many clients count.
    this.#counting ??= entityCountEvent(store, catalog, { at: now(), intervalMillis }).finally(
      () => {
        this.#counting = undefined;
      },
    );
    return { ...(await this.#counting), intervalMillis };
  }

  private publishAll(
    changes: readonly LoggedChange[],
    eventsOf: (change: LoggedChange) => NetworkEvent[],
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
