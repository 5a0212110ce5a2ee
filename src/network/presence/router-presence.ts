import type { ApiSessions } from '../../trust/auth/index.js';
import { failure } from '../../base/errors.js';
import {
  routerClients,
  routerPresence,
  type ConnectionStatus,
  type RouterHello,
  type RouterReport,
  type StatusTimes,
  type VersionedReport,
} from '../../data/rows/router/index.js';
import { traces, type IdentityTrace } from '../../data/rows/trace/index.js';
import type { Change, Store } from '../../kernel/request/store-port.js';
import { barredRouters, type BarredRouter } from './change-news.js';
import { Channels } from './channels.js';
import { Inspections, type Inspector } from './inspections.js';
import type { NodeAnswer } from './node-answer.js';
import { announcedSessions, type KnownApiSession } from '../../data/rows/api-session/index.js';
import type { DisconnectReason, RouterCommands } from './router-commands.js';
import { RouterConnection, type ConnectionHost } from './router-connection.js';
import type { RouterStatus, RouterStatusSource } from './router-status.js';
import { SessionAnnouncer } from './session-announcer.js';
import { Validations } from './validations.js';

export interface PresenceOptions {
  readonly store: Store;
  readonly sessions: Pick<ApiSessions, 'touch'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

type StatusListener = (statuses: readonly RouterStatus[]) => void;

/** A report is valid for the time of five renewals, so four of them may fail. */
const LAPSE_MILLIS = 20_000;
/** For so long after the loss of a router, the state of its clients is unknown. */
const UNKNOWN_MILLIS = 300_000;

const after = (at: Date, millis: number): Date => new Date(at.getTime() + millis);

/**
 * Connects the core with the control channels of routers. A channel reports through the connections
 * that it opens, and receives commands while it is attached; the core asks for connected routers.
 * All controllers learn each report within a poll interval: reports are stored in volatile tables,
 * and the table of routers is cached in memory. Reports of a dead controller expire without renewal.
 */
export class RouterPresence implements RouterStatusSource {
  readonly #inspections: Inspections;
  readonly validations: Validations;
  readonly #channels: Channels;
  readonly #announcer: SessionAnnouncer;
  readonly #reports = new Map<string, VersionedReport>();
  /** The routers that were online at the last comparison. */
  readonly #online = new Set<string>();
  readonly #statusListeners = new Set<StatusListener>();
  readonly #traces = new Map<string, IdentityTrace>();
  readonly #connections = new Map<string, RouterConnection>();
  /** Connections whose entry is being written. */
  readonly #entering = new Set<RouterConnection>();
  #generation: string | undefined;
  #version = 0n;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;
  /** The queue of work after commands and changes. */
  #backgroundWork: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: PresenceOptions) {
    const { store } = options;
    this.#channels = new Channels(options.onError);
    this.#announcer = new SessionAnnouncer(store, this.#channels);
    this.#inspections = new Inspections(options);
    this.validations = new Validations(this.#inspections, {
      refresh: () => this.refresh(),
      // Controllers have no report.
      isGone: (id) => this.#reports.has(id) && this.router(id) === undefined,
    });
    store.onChange((changes) => {
      this.onChanges(changes);
    });
  }

  // Calls of channels.

  /** Adds a channel; gives a function that detaches it. */
  attach(channel: RouterCommands): () => void {
    return this.#channels.attach(channel);
  }

  /** Adds what answers questions about nodes; gives a function that removes it. */
  attachInspector(inspector: Inspector): () => void {
    return this.#inspections.attach(inspector);
  }

  /**
   * Opens a connection for a router that has proved its certificate. It replaces an earlier connection
   * of the router at any controller.
   * @throws ApiError UNAUTHORIZED unless it is enrolled with that certificate and not disabled
   */
  async connect(hello: RouterHello): Promise<RouterConnection> {
    const connection = new RouterConnection(hello, this.host());
    this.#entering.add(connection);
    try {
      const at = this.options.now();
      const times = { at, lapsesAt: after(at, LAPSE_MILLIS) };
      const entry = await routerPresence.enter(
        this.options.store,
        connection,
        connection.hello,
        times,
      );
      if (!entry) throw failure('UNAUTHORIZED', 'the router is not enrolled so, or is disabled');
      connection.admit(entry);
      const earlier = this.#connections.get(hello.routerId);
      this.#connections.set(hello.routerId, connection);
      if (earlier) this.drop(earlier, 'replaced');
    } finally {
      this.#entering.delete(connection);
    }
    if (connection.isBarred) {
      this.close(connection, true);
      throw failure('UNAUTHORIZED', 'the router was changed meanwhile');
    }
    await this.refresh();
    return connection;
  }

  /** Gives a page of the API sessions that routers must know, in the order of their ids. */
  apiSessions(afterId = '', limit = 500): Promise<KnownApiSession[]> {
    return announcedSessions.after(this.options.store, afterId, limit);
  }

  /** Gives the trace of an identity while it runs. */
  activeTrace(identityId: string): IdentityTrace | undefined {
    const trace = this.#traces.get(identityId);
    return trace?.enabled && trace.until > this.options.now() ? trace : undefined;
  }

  // Calls of the core.

  /** Gives the report of a connected router; undefined while it is not connected. */
  router(routerId: string): RouterReport | undefined {
    const report = this.#reports.get(routerId);
    return report && report.lapsesAt > this.options.now() ? report : undefined;
  }

  /** Gives the reports of all connected routers. */
  routers(): RouterReport[] {
    return [...this.#reports.keys()].flatMap((id) => this.router(id) ?? []);
  }

  /**
   * Adds a listener to routers that come online, go offline or report something else, at any
   * controller; gives a function that removes it.
   */
  watchRouters(listener: StatusListener): () => void {
    this.#statusListeners.add(listener);
    return () => void this.#statusListeners.delete(listener);
  }

  /** Gives the states of a page of identities; those without an entry are offline. */
  async statusOf(identityIds: readonly string[]): Promise<Map<string, ConnectionStatus>> {
    const times = this.statusTimes();
    const hasRecentRouters = [...this.#reports.values()].some(
      ({ lapsesAt }) => lapsesAt > times.lostSince,
    );
    return hasRecentRouters
      ? routerClients.statusOf(this.options.store, identityIds, times)
      : new Map();
  }

  /** Gives the moments that decide about the state of clients now. */
  statusTimes(): StatusTimes {
    const now = this.options.now();
    return { now, lostSince: after(now, -UNKNOWN_MILLIS) };
  }

  /** Gives the ids of all identities that are online. */
  onlineIdentities(): Promise<string[]> {
    return routerClients.onlineIdentities(this.options.store, this.options.now());
  }

  /** Starts or ends the trace of an identity on all controllers; false for an unknown identity. */
  async trace(trace: IdentityTrace): Promise<boolean> {
    const isStored = await traces.put(this.options.store, trace);
    await this.refresh();
    return isStored;
  }

  /** Asks routers and controllers, by their ids, for values by name. */
  inspect(nodeIds: readonly string[], names: readonly string[]): Promise<Map<string, NodeAnswer>> {
    return this.#inspections.ask(nodeIds, names, () => this.refresh());
  }

  // Upkeep.

  /** Reads all writes from before the call; waiting calls share one read. */
  refresh(): Promise<void> {
    this.#nextReading ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextReading = undefined;
        this.#reading = this.read();
        return this.#reading;
      });
    return this.#nextReading;
  }

  /** Renews the own connections, and handles expired reports and traces. */
  async renew(): Promise<void> {
    // Learns of replaced connections first.
    await this.refresh();
    const now = this.options.now();
    const ownConnections = [...this.#connections.values()];
    if (ownConnections.length > 0) {
      const renewedIds = await routerPresence.renew(
        this.options.store,
        ownConnections,
        after(now, LAPSE_MILLIS),
      );
      // The database was emptied: a router that connects again reports everything again.
      for (const connection of ownConnections)
        if (!renewedIds.has(connection.id)) this.drop(connection, 'lost');
    }
    await this.refresh();
    this.removeExpired();
  }

  /** Deletes reports and traces that ended long ago, for all controllers. */
  async deleteExpired(): Promise<void> {
    const before = after(this.options.now(), -UNKNOWN_MILLIS);
    await routerPresence.deleteLostBefore(this.options.store, before);
    await traces.deleteEndedBefore(this.options.store, before);
  }

  /** Ends the own connections at once, instead of by expiry. */
  async stop(): Promise<void> {
    for (const connection of [...this.#connections.values()]) {
      await connection.end().catch(this.options.onError);
    }
    await this.#backgroundWork;
    await this.#reading.catch(() => undefined);
  }

  private host(): ConnectionHost {
    const { store, now, sessions } = this.options;
    return {
      store,
      now,
      touch: (tokens) => sessions.touch(tokens),
      refresh: () => this.refresh(),
      ended: (connection) => {
        const { routerId } = connection;
        if (this.#connections.get(routerId) === connection) this.#connections.delete(routerId);
      },
    };
  }

  /** Ends a connection that the channel still keeps. */
  private drop(connection: RouterConnection, reason: DisconnectReason): void {
    if (!connection.isOpen) return;
    this.close(connection, reason !== 'replaced' && reason !== 'lost');
    this.#channels.sendToAll((channel) => {
      channel.disconnect(connection, reason);
    });
  }

  /** Closes a connection; if the router may not connect, it removes the router's clients. */
  private close(connection: RouterConnection, isBarred: boolean): void {
    connection.close();
    this.inBackground(async () => {
      await connection.leave();
      if (isBarred) await routerClients.removeAll(this.options.store, connection);
      await this.refresh();
    });
  }

  private inBackground(work: () => Promise<unknown>): void {
    this.#backgroundWork = this.#backgroundWork.then(work).catch(this.options.onError);
  }

  private async read(): Promise<void> {
    const { store } = this.options;
    const position = await routerPresence.position(store);
    const { generation, version = 0n } = position ?? {};
    if (generation !== this.#generation) {
      this.#reports.clear();
      this.#traces.clear();
      this.#version = 0n;
      this.#generation = generation;
    }
    if (version !== this.#version) {
      const reports = await routerPresence.since(store, this.#version);
      const newTraces = await traces.since(store, this.#version);
      await this.#inspections.answerBetween(this.#version, version);
      this.#version = version;
      const previous = reports.map((report) => this.applyReport(report));
      for (const trace of newTraces) this.applyTrace(trace);
      this.announceNews(reports, previous);
    } else this.announceNews([], []);
  }

  /** Announces routers that came online or went offline, and those with reports unlike the previous ones. */
  private announceNews(
    reports: readonly VersionedReport[],
    previous: readonly (VersionedReport | undefined)[],
  ): void {
    const changed = this.onlineChanges();
    const unlike = (textOf: (report: RouterReport) => string): string[] =>
      reports.flatMap((report, i) => {
        const earlier = previous[i];
        return earlier && textOf(earlier) !== textOf(report) ? [report.routerId] : [];
      });
    this.announceRouters([...changed, ...unlike(announcedText)]);
    if (this.#statusListeners.size > 0) this.announceStatuses([...changed, ...unlike(statusText)]);
  }

  /** Stores a report; gives the previous one of an online router. */
  private applyReport(report: VersionedReport): VersionedReport | undefined {
    const { routerId } = report;
    const previous = this.#reports.get(routerId);
    this.#reports.set(routerId, report);
    const ownConnection = this.#connections.get(routerId);
    if (ownConnection?.isBehind(report)) this.drop(ownConnection, 'replaced');
    return this.#online.has(routerId) ? previous : undefined;
  }

  private applyTrace(trace: IdentityTrace): void {
    const previous = this.#traces.get(trace.identityId);
    this.#traces.set(trace.identityId, trace);
    if (JSON.stringify(previous) === JSON.stringify(trace)) return;
    this.#channels.sendToAll((channel) => {
      channel.trace(trace);
    });
  }

  /** Gives the routers that came online or went offline since the last call. */
  private onlineChanges(): string[] {
    const changed: string[] = [];
    for (const id of new Set([...this.#reports.keys(), ...this.#online])) {
      const isOnline = this.router(id) !== undefined;
      if (isOnline === this.#online.has(id)) continue;
      changed.push(id);
      if (isOnline) this.#online.add(id);
      else this.#online.delete(id);
    }
    return changed;
  }

  private announceRouters(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#channels.sendToAll((channel) => {
      channel.routersChanged([...new Set(ids)]);
    });
  }

  private announceStatuses(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const at = this.options.now();
    const statuses = [...new Set(ids)].map((routerId): RouterStatus => {
      const report = this.router(routerId);
      return { routerId, isOnline: report !== undefined, syncStatus: report?.syncStatus, at };
    });
    for (const listener of this.#statusListeners) listener(statuses);
  }

  /** Deletes long expired reports from memory, and ends traces whose time is over. */
  private removeExpired(): void {
    const now = this.options.now();
    for (const [id, { lapsesAt }] of this.#reports) {
      if (lapsesAt <= after(now, -UNKNOWN_MILLIS)) this.#reports.delete(id);
    }
    for (const [id, trace] of this.#traces) {
      if (trace.until > now) continue;
      this.#traces.delete(id);
      if (!trace.enabled) continue;
      this.#channels.sendToAll((channel) => {
        channel.trace({ ...trace, enabled: false });
      });
    }
  }

  private onChanges(changes: readonly Change[]): void {
    for (const barred of barredRouters(changes)) this.bar(barred);
    const announce = this.#channels.isEmpty ? undefined : this.#announcer.announcementOf(changes);
    if (announce) this.inBackground(announce);
  }

  private bar({ routerId, revision, reason }: BarredRouter): void {
    if (reason === 'deleted') {
      this.#reports.delete(routerId);
      this.inBackground(() => routerClients.removeAt(this.options.store, routerId));
    }
    for (const connection of this.#entering) {
      if (connection.routerId === routerId) connection.bar(revision);
    }
    const ownConnection = this.#connections.get(routerId);
    ownConnection?.bar(revision);
    if (ownConnection?.isBarred) this.drop(ownConnection, reason);
  }
}

/** Gives the values that other routers may need, as a text to compare. */
const announcedText = ({
  connectionId,
  hostname,
  listeners,
  linkListeners,
  versionInfo,
}: RouterReport) => JSON.stringify([connectionId, hostname, listeners, linkListeners, versionInfo]);

/** The same, and the progress of the router, which is of no use to other routers. */
const statusText = (report: RouterReport) => `${report.syncStatus} ${announcedText(report)}`;
