import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Store } from '../kernel/request/store-port.js';
import type {
  DisconnectReason,
  KnownApiSession,
  RouterCommands,
  RouterConnection,
  RouterPresence,
} from '../presence/index.js';
import { ConnectedRouter } from './connected-router.js';
import { CONTENT } from './content-types.js';
import { ControlChannel, HEARTBEAT_MILLIS } from './control-channel.js';
import { messages, type PeerStateChange } from './emitted/messages.js';
import type { FrameReader } from './frame.js';
import { presenceHandlers } from './presence-handlers.js';
import { SessionSync } from './session-sync.js';

export interface RouterControlOptions {
  readonly store: Store;
  readonly presence: Pick<RouterPresence, 'attach' | 'apiSessions' | 'router' | 'routers'>;
  readonly now: () => Date;
  /** The version of this controller, for routers. */
  readonly version: string;
  readonly log: Logger;
}

interface Entry {
  readonly router: ConnectedRouter;
  readonly sync: SessionSync;
}

/** The routers that are connected to this controller, and the commands of the core to them. */
export class RouterControl implements RouterCommands {
  /** By the ids of their connections. */
  readonly #entries = new Map<string, Entry>();
  /** Id of each announced API session -> its token, by which routers know it. */
  readonly #tokens = new Map<string, string>();
  #detach: (() => void) | undefined;
  #heartbeats: NodeJS.Timeout | undefined;

  constructor(private readonly options: RouterControlOptions) {}

  /** Serves a router after its hello was accepted. */
  add(connection: RouterConnection, socket: Duplex, reader: FrameReader): void {
    // Changes from now on are announced; the full state has the earlier ones.
    this.#detach ??= this.options.presence.attach(this);
    this.#heartbeats ??= setInterval(() => {
      for (const { router } of [...this.#entries.values()]) router.channel.beat();
    }, HEARTBEAT_MILLIS);
    const { log, store, now, presence, version } = this.options;
    const facts = { router: connection.routerId };
    const channel = new ControlChannel(socket, reader, {
      handlers: presenceHandlers({ store, router: () => entry.router, sync: () => entry.sync }),
      quickHandlers: new Map(),
      onUnknown: (type) => {
        log.info({ ...facts, type }, 'messages of a router are ignored: their type is unknown');
      },
      onError: (error, { type }) => {
        log.warn({ ...facts, type, err: error }, 'a message of a router could not be worked on');
      },
      onEnd: (reason) => {
        log.info({ ...facts, reason }, 'a router is disconnected');
        this.remove(connection);
      },
    });
    const router = new ConnectedRouter(connection, channel);
    const entry: Entry = {
      router,
      sync: new SessionSync({
        router,
        apiSessions: (after, limit) => presence.apiSessions(after, limit),
        now,
        onAnnounced: (sessions) => {
          this.noteTokens(sessions);
        },
      }),
    };
    this.#entries.set(connection.id, entry);
    channel.start();
    router.tell(CONTENT.serverHello, messages.ServerHello, { version, data: { instant: 'true' } });
    this.introduce(router);
  }

  /** Ends all connections; the routers try again after a while. */
  endAll(reason: string): void {
    for (const { router } of [...this.#entries.values()]) router.channel.end(reason);
  }

  disconnect({ id }: RouterConnection, reason: DisconnectReason): void {
    this.#entries.get(id)?.router.channel.end(`it is ${reason}`);
  }

  apiSessionsChanged(sessions: readonly KnownApiSession[]): void {
    this.noteTokens(sessions);
    for (const { sync } of this.#entries.values()) sync.changed(sessions);
  }

  apiSessionsRemoved(ids: readonly string[]): void {
    const known = ids.flatMap((id) => {
      const token = this.#tokens.get(id);
      this.#tokens.delete(id);
      return token === undefined ? [] : [{ id, token }];
    });
    if (known.length === 0) return;
    const ended = { tokens: known.map(({ token }) => token), ids: known.map(({ id }) => id) };
    for (const { sync } of this.#entries.values()) sync.removed(ended);
  }

  sessionsRemoved(ids: readonly string[]): void {
    // Routers of version 1 know sessions by the texts of their tokens alone, which name the id.
    const removed = { tokens: [...ids], ids: [...ids] };
    for (const { router } of this.#entries.values()) {
      router.tell(CONTENT.sessionRemoved, messages.SessionRemoved, removed);
    }
  }

  trace(): void {
    // Routers of version 1 have no traces of identities.
  }

  routersChanged(routerIds: readonly string[]): void {
    for (const { router } of this.#entries.values()) {
      this.tellPeers(
        router,
        routerIds.filter((id) => id !== router.id),
      );
    }
  }

  resync(): void {
    for (const { sync, router } of this.#entries.values()) {
      sync.sendAll().catch((error: unknown) => {
        this.options.log.warn({ err: error, router: router.id }, 'sessions could not be announced');
      });
    }
  }

  private remove(connection: RouterConnection): void {
    this.#entries.delete(connection.id);
    if (this.#entries.size === 0) {
      this.#detach?.();
      this.#detach = undefined;
      clearInterval(this.#heartbeats);
      this.#heartbeats = undefined;
      this.#tokens.clear();
    }
    void connection.end().catch((error: unknown) => {
      const facts = { err: error, router: connection.routerId };
      this.options.log.warn(facts, 'the end of a connection could not be stored');
    });
  }

  private noteTokens(sessions: readonly KnownApiSession[]): void {
    for (const { id, token } of sessions) this.#tokens.set(id, token);
  }

  /** Tells a new router of all others. */
  private introduce(router: ConnectedRouter): void {
    const ids = this.options.presence.routers().map(({ routerId }) => routerId);
    this.tellPeers(
      router,
      ids.filter((id) => id !== router.id),
    );
  }

  private tellPeers(router: ConnectedRouter, ids: readonly string[]): void {
    if (ids.length === 0) return;
    const changes = ids.map((id) => this.peerState(id));
    router.tell(CONTENT.peerStateChanges, messages.PeerStateChanges, { changes });
  }

  private peerState(id: string): Partial<PeerStateChange> {
    const report = this.options.presence.router(id);
    if (!report) return { id, state: 'Unhealthy' };
    return {
      id,
      state: 'Healthy',
      version: report.versionInfo?.version ?? '',
      listeners: report.linkListeners.map((listener) => ({
        ...listener,
        costTags: [...listener.costTags],
        groups: [...listener.groups],
      })),
    };
  }
}
