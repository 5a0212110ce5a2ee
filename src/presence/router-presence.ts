import type { ApiSessions } from '../auth/index.js';
import { failure } from '../base/errors.js';
import { detached } from '../kernel/request/request-scope.js';
import type { Change, Store } from '../kernel/request/store-port.js';
import { barredRouters, type BarredRouter } from './change-news.js';
import { Channels } from './channels.js';
import { ClientTable } from './client-table.js';
import { announcedAfter } from './api-session-table.js';
import { PresenceTable, type VersionedReport } from './presence-table.js';
import type {
  DisconnectReason,
  IdentityTrace,
  KnownApiSession,
  RouterCommands,
} from './router-commands.js';
import { RouterConnection, type ConnectionHost } from './router-connection.js';
import type { ConnectionStatus, RouterHello, RouterReport } from './router-report.js';
import { SessionAnnouncer } from './session-announcer.js';
import { TraceTable } from './trace-table.js';

export interface PresenceOptions {
  readonly store: Store;
  readonly sessions: Pick<ApiSessions, 'touch'>;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Four renewals may be missed before a report no longer counts. */
const LAPSE_MILLIS = 20_000;
/** So long the clients of a lost router may still be connected to it, for all that anybody knows. */
const UNKNOWN_MILLIS = 300_000;

const after = (at: Date, millis: number): Date => new Date(at.getTime() + millis);

/**
 * Where the core and the control channels of routers meet. A channel reports by way of the
 * connections that it opens, and gets commands once it is attached; the core asks who is connected.
 * What one controller was told, all of them know within a poll: reports are stored in volatile
 * tables, of which that of the routers is held in memory. A controller that dies renews nothing,
 * so what it knew lapses.
 */
export class RouterPresence {
  readonly #table: PresenceTable;
  readonly #clients: ClientTable;
  readonly #traceTable: TraceTable;
  readonly #channels: Channels;
  readonly #announcer: SessionAnnouncer;
  readonly #reports = new Map<string, VersionedReport>();
  /** Routers that were online when it was last looked at. */
  readonly #online = new Set<string>();
  readonly #traces = new Map<string, IdentityTrace>();
  readonly #connections = new Map<string, RouterConnection>();
  /** Connections whose entry is being written. */
  readonly #entering = new Set<RouterConnection>();
  #generation: string | undefined;
  #version = 0n;
  #reading: Promise<void> = Promise.resolve();
  #nextReading: Promise<void> | undefined;
  /** What is done behind commands and changes, one after the other. */
  #behind: Promise<void> = Promise.resolve();

  constructor(private readonly options: PresenceOptions) {
    const { store } = options;
    this.#channels = new Channels(options.onError);
    this.#announcer = new SessionAnnouncer(store, this.#channels);
    this.#table = new PresenceTable(store);
    this.#clients = new ClientTable(store);
    this.#traceTable = new TraceTable(store);
    store.onChange((changes) => {
      this.hear(changes);
    });
  }

  // What channels call.

  /** The channel receives the commands until it is detached. */
  attach(channel: RouterCommands): () => void {
    return this.#channels.attach(channel);
  }

  /**
   * A router proved its certificate and said hello. An earlier connection of it, here or elsewhere,
   * is replaced.
   * @throws ApiError UNAUTHORIZED unless it is enrolled with that certificate and not disabled
   */
  async connect(hello: RouterHello): Promise<RouterConnection> {
    const connection = new RouterConnection(hello, this.host());
    this.#entering.add(connection);
    try {
      const at = this.options.now();
      const times = { at, lapsesAt: after(at, LAPSE_MILLIS) };
      const entry = await this.#table.enter(connection, connection.hello, times);
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

  /** A page of the API sessions that routers have to know, in the order of their ids. */
  apiSessions(afterId = '', limit = 500): Promise<KnownApiSession[]> {
    return announcedAfter(this.options.store, afterId, limit);
  }

  /** The trace of an identity while it lasts. */
  activeTrace(identityId: string): IdentityTrace | undefined {
    const trace = this.#traces.get(identityId);
    return trace?.enabled && trace.until > this.options.now() ? trace : undefined;
  }

  // What the core asks and does.

  /** What a connected router reports; undefined while it is not connected. */
  router(routerId: string): RouterReport | undefined {
    const report = this.#reports.get(routerId);
    return report && report.lapsesAt > this.options.now() ? report : undefined;
  }

  /** The routers that carry a session, in their order; empty while no circuit was made for it here. */
  routePath(sessionId: string): readonly string[] {
    return this.#channels.routePath(sessionId);
  }

  /** All that are connected. */
  routers(): RouterReport[] {
    return [...this.#reports.keys()].flatMap((id) => this.router(id) ?? []);
  }

  /** Of a page of identities at once; those without an entry are offline. */
  async statusOf(identityIds: readonly string[]): Promise<Map<string, ConnectionStatus>> {
    const now = this.options.now();
    const lostSince = after(now, -UNKNOWN_MILLIS);
    const isKnown = [...this.#reports.values()].some(({ lapsesAt }) => lapsesAt > lostSince);
    return isKnown ? this.#clients.statusOf(identityIds, { now, lostSince }) : new Map();
  }

  /** Begins or ends the trace of an identity on all controllers; false when there is none such. */
  async trace(trace: IdentityTrace): Promise<boolean> {
    const isPut = await this.#traceTable.put(trace);
    await this.refresh();
    return isPut;
  }

  // What keeps it going.

  /** Reads what was written before the call; calls while one waits share one run. */
  refresh(): Promise<void> {
    this.#nextReading ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextReading = undefined;
        this.#reading = detached(() => this.read());
        return this.#reading;
      });
    return this.#nextReading;
  }

  /** Moves the ends of the own connections on, and looks at what ended by itself. */
  async renew(): Promise<void> {
    // So that what was replaced is known to be.
    await this.refresh();
    const now = this.options.now();
    const own = [...this.#connections.values()];
    if (own.length > 0) {
      const kept = await this.#table.renew(own, after(now, LAPSE_MILLIS));
      // The database was emptied: a router that connects again tells everything again.
      for (const connection of own) if (!kept.has(connection.id)) this.drop(connection, 'lost');
    }
    await this.refresh();
    this.sweep();
  }

  /** Deletes what was lost long ago, for all controllers. */
  async forget(): Promise<void> {
    const before = after(this.options.now(), -UNKNOWN_MILLIS);
    await this.#table.forget(before);
    await this.#traceTable.forget(before);
  }

  /** Ends the own connections at once, not only after a silence. */
  async stop(): Promise<void> {
    for (const connection of [...this.#connections.values()]) {
      await connection.end().catch(this.options.onError);
    }
    await this.#behind;
    await this.#reading.catch(() => undefined);
  }

  private host(): ConnectionHost {
    const { now, sessions } = this.options;
    return {
      now,
      table: this.#table,
      clients: this.#clients,
      touch: (tokens) => sessions.touch(tokens),
      refresh: () => this.refresh(),
      ended: (connection) => {
        const { routerId } = connection;
        if (this.#connections.get(routerId) === connection) this.#connections.delete(routerId);
      },
    };
  }

  /** Ends a connection that the channel still holds. */
  private drop(connection: RouterConnection, reason: DisconnectReason): void {
    if (!connection.isOpen) return;
    this.close(connection, reason !== 'replaced' && reason !== 'lost');
    this.#channels.tell((channel) => {
      channel.disconnect(connection, reason);
    });
  }

  /** The clients of a router that may not be connected are turned out with it. */
  private close(connection: RouterConnection, isBarred: boolean): void {
    connection.close();
    this.behind(async () => {
      await connection.leave();
      if (isBarred) await this.#clients.removeAll(connection);
      await this.refresh();
    });
  }

  private behind(work: () => Promise<void>): void {
    this.#behind = this.#behind.then(work).catch(this.options.onError);
  }

  private async read(): Promise<void> {
    const position = await this.#table.position();
    const { generation, version = 0n } = position ?? {};
    if (generation !== this.#generation) {
      this.#reports.clear();
      this.#traces.clear();
      this.#version = 0n;
      this.#generation = generation;
    }
    if (version !== this.#version) {
      const reports = await this.#table.since(this.#version);
      const traces = await this.#traceTable.since(this.#version);
      this.#version = version;
      const changed = reports.filter((report) => this.take(report));
      for (const trace of traces) this.takeTrace(trace);
      this.tellRouters([...this.cameOrWent(), ...changed.map(({ routerId }) => routerId)]);
    } else this.tellRouters(this.cameOrWent());
  }

  /** Whether it tells something new of a router that was known to be online. */
  private take(report: VersionedReport): boolean {
    const { routerId } = report;
    const known = this.#reports.get(routerId);
    this.#reports.set(routerId, report);
    const own = this.#connections.get(routerId);
    if (own?.isBehind(report)) this.drop(own, 'replaced');
    return known !== undefined && this.#online.has(routerId) && told(known) !== told(report);
  }

  private takeTrace(trace: IdentityTrace): void {
    const known = this.#traces.get(trace.identityId);
    this.#traces.set(trace.identityId, trace);
    if (JSON.stringify(known) === JSON.stringify(trace)) return;
    this.#channels.tell((channel) => {
      channel.trace(trace);
    });
  }

  /** The routers that came or went since the last look. */
  private cameOrWent(): string[] {
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

  private tellRouters(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#channels.tell((channel) => {
      channel.routersChanged([...new Set(ids)]);
    });
  }

  /** Forgets what was lost long ago, and ends traces whose time is over. */
  private sweep(): void {
    const now = this.options.now();
    for (const [id, { lapsesAt }] of this.#reports) {
      if (lapsesAt <= after(now, -UNKNOWN_MILLIS)) this.#reports.delete(id);
    }
    for (const [id, trace] of this.#traces) {
      if (trace.until > now) continue;
      this.#traces.delete(id);
      if (!trace.enabled) continue;
      this.#channels.tell((channel) => {
        channel.trace({ ...trace, enabled: false });
      });
    }
  }

  private hear(changes: readonly Change[]): void {
    for (const barred of barredRouters(changes)) this.bar(barred);
    const announce = this.#channels.isEmpty ? undefined : this.#announcer.hear(changes);
    if (announce) this.behind(announce);
  }

  private bar({ routerId, revision, reason }: BarredRouter): void {
    if (reason === 'deleted') {
      this.#reports.delete(routerId);
      this.behind(() => this.#clients.removeRouter(routerId));
    }
    for (const connection of this.#entering) {
      if (connection.routerId === routerId) connection.bar(revision);
    }
    const own = this.#connections.get(routerId);
    own?.bar(revision);
    if (own?.isBarred) this.drop(own, reason);
  }
}

/** What other routers may want to know, as a text to compare. */
const told = ({ connectionId, hostname, listeners, linkListeners, versionInfo }: RouterReport) =>
  JSON.stringify([connectionId, hostname, listeners, linkListeners, versionInfo]);
