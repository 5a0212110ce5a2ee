import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { KnownApiSession } from '../../data/rows/api-session/index.js';
import { routers } from '../../data/rows/router/index.js';
import type { DataModelListener, DataModelSource } from '../data-model/index.js';
import type { Fabric } from '../fabric/index.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Store } from '../../kernel/request/store-port.js';
import type {
  DisconnectReason,
  RouterCommands,
  RouterConnection,
  RouterPresence,
} from '../presence/index.js';
import {
  belongsTo,
  type ChannelGroup,
  type GroupHello,
  type UnderlayType,
} from './channel-group.js';
import { endText, type ConnectionEnds } from './connection-ends.js';
import { ConnectedRouter } from './connected-router.js';
import { CONTENT, HEADER } from './content-types.js';
import { certificateHandlers } from './certificate-handlers.js';
import { circuitHandlers } from './circuit-handlers.js';
import { ControlChannel, HEARTBEAT_MILLIS, type ChannelOptions } from './control-channel.js';
import { DataModelSubscription } from './data-model-subscription.js';
import { messages, type PeerStateChange } from '../messages/index.js';
import { boolValue } from './header-values.js';
import { lifeHandlers } from './life-handlers.js';
import { presenceHandlers, type ClientReporter } from './presence-handlers.js';
import type { AccessTokenReader } from './proved-client.js';
import { routerInspector } from './router-inspector.js';
import type { RouterTraces } from './router-traces.js';
import { SessionSync } from './session-sync.js';
import { terminatorHandlers } from './terminator-handlers.js';
import { tunnelerHandlers } from './tunneler-handlers.js';
import type { TunnelerPort } from './tunneler-port.js';
import type { Underlay } from './underlay.js';
import { validateTerminators } from './validate-terminators.js';

export interface RouterControlOptions {
  readonly store: Store;
  readonly presence: Pick<
    RouterPresence,
    'attach' | 'attachInspector' | 'apiSessions' | 'router' | 'routers'
  >;
  readonly now: () => Date;
  /** The version of this controller, for routers. */
  readonly version: string;
  readonly fabric: Fabric;
  readonly dataModel: DataModelSource;
  /** The context of what the controller does itself. */
  readonly context: () => RequestContext;
  readonly tunnelers: TunnelerPort;
  readonly sessionOf: AccessTokenReader;
  readonly traces: Pick<RouterTraces, 'connected' | 'handler'>;
  /** Called when a router has connected, with the addresses of both ends. */
  readonly onConnect?: ((connect: RouterConnect) => void) | undefined;
  /** Called with the reports of routers about their clients. */
  readonly onClients?: ClientReporter | undefined;
  readonly log: Logger;
}

/** The ends of a connection of a router, each as `host:port`. */
export interface RouterConnect {
  readonly routerId: string;
  readonly routerAddress: string;
  readonly controllerAddress: string;
}

/** A router whose hello was accepted. */
export interface AcceptedRouter {
  readonly connection: RouterConnection;
  /** Whether it was started since its last hello. */
  readonly isNew: boolean;
  readonly ends: ConnectionEnds;
  readonly underlay: Underlay;
  /** Undefined for a router with one connection, as is the type of that. */
  readonly group: ChannelGroup | undefined;
  readonly type: UnderlayType | undefined;
  readonly followsDataModel: boolean;
  readonly judgesPosture: boolean;
}

interface Entry {
  readonly router: ConnectedRouter;
  readonly sync: SessionSync;
  readonly dataModel: DataModelSubscription;
}

/** States of routers that change within this time are told to the others together. */
const PEERS_PAUSE_MILLIS = 200;
/** With more routers, other work is done between them. */
const TOLD_IN_A_TURN = 16;

/** The routers that are connected to this controller, and the commands of the core to them. */
export class RouterControl implements RouterCommands, DataModelListener {
  /** By the ids of their connections. */
  readonly #entries = new Map<string, Entry>();
  /** The latest connection of each router. */
  readonly #routers = new Map<string, ConnectedRouter>();
  /** Id of each announced API session -> its token, by which routers know it. */
  readonly #tokens = new Map<string, string>();
  /** Routers of which the others have still to learn. */
  readonly #changedPeers = new Set<string>();
  #isTellingAll = false;
  #detach: (() => void) | undefined;
  #heartbeats: NodeJS.Timeout | undefined;

  constructor(private readonly options: RouterControlOptions) {}

  /** The routers that are connected here. */
  get connected(): readonly ConnectedRouter[] {
    return [...this.#routers.values()];
  }

  /** The router with this id, while it is connected here. */
  router(id: string): ConnectedRouter | undefined {
    return this.#routers.get(id);
  }

  /**
   * Gives the router with this group; undefined when it is not connected here, or enrolled with
   * another certificate: a router may renew it between its connections.
   */
  async routerOfGroup(
    routerId: string,
    fingerprint: string,
    hello: GroupHello,
  ): Promise<ConnectedRouter | undefined> {
    const find = (): ConnectedRouter | undefined => {
      const router = this.#routers.get(routerId);
      return router?.group && belongsTo(hello, router.group) ? router : undefined;
    };
    if (!find()) return undefined;
    const enrolled = await routers.fingerprintOf(this.options.store, routerId);
    // The router may be disconnected meanwhile.
    return enrolled === fingerprint ? find() : undefined;
  }

  /** Serves a router after its hello was accepted. */
  async add(accepted: AcceptedRouter): Promise<void> {
    const { fabric } = this.options;
    const { connection, isNew, ends } = accepted;
    this.begin();
    const entry = this.entryOf(accepted);
    const { router } = entry;
    this.#entries.set(connection.id, entry);
    this.#routers.set(router.id, router);
    try {
      await fabric.routerConnected(router.id, isNew);
    } catch (error) {
      router.channel.end('the database does not answer');
      throw error;
    }
    router.channel.start();
    this.announceConnect(router.id, ends);
    if (!router.channel.isOpen) return;
    this.greet(router);
    this.tellAllPeers(router);
    this.options.traces.connected(router);
    validateTerminators(fabric, router).catch(this.onError);
  }

  private greet(router: ConnectedRouter): void {
    const { version } = this.options;
    const data = { instant: 'true', ...(router.followsDataModel && { routerModel: 'true' }) };
    const headers = new Map([[HEADER.dataModel, boolValue(router.followsDataModel)]]);
    router.tell(CONTENT.serverHello, messages.ServerHello, { version, data }, headers);
  }

  private announceConnect(routerId: string, { router, controller }: ConnectionEnds): void {
    this.options.onConnect?.({
      routerId,
      routerAddress: endText(router),
      controllerAddress: endText(controller),
    });
  }

  /** Begins to receive commands, with the first router. */
  private begin(): void {
    // Changes from now on are announced; the full state has the earlier ones.
    this.#detach ??= this.attach();
    this.#heartbeats ??= setInterval(() => {
      for (const { router } of [...this.#entries.values()]) router.channel.beat();
    }, HEARTBEAT_MILLIS);
  }

  private attach(): () => void {
    const { presence, dataModel, store, fabric, now } = this.options;
    const detachCommands = presence.attach(this);
    const detachDataModel = dataModel.listen(this);
    const detachInspector = presence.attachInspector(
      routerInspector({
        ...{ store, fabric, now },
        served: (id) => this.#entries.get(this.router(id)?.connection.id ?? ''),
        isConnected: (id) => this.router(id) !== undefined,
      }),
    );
    return () => {
      detachCommands();
      detachDataModel();
      detachInspector();
    };
  }

  private entryOf({ connection, ends, underlay, ...accepted }: AcceptedRouter): Entry {
    const { group, type, followsDataModel, judgesPosture } = accepted;
    const address = ends.router.host ?? '';
    const { log, store, now, presence, fabric, context } = this.options;
    const { tunnelers, sessionOf, onClients, dataModel } = this.options;
    const facts = { router: connection.routerId };
    const its = {
      router: () => entry.router,
      sync: () => entry.sync,
      dataModel: () => entry.dataModel,
    };
    const ofEntry = { store, fabric, context, now, sessionOf, ...its };
    const handlers = new Map([
      ...presenceHandlers({ ...ofEntry, onClients }),
      ...certificateHandlers(ofEntry),
      ...terminatorHandlers(ofEntry),
      ...tunnelerHandlers({ ...ofEntry, address, tunnelers }),
      ...circuitHandlers(ofEntry),
      ...lifeHandlers(ofEntry),
      this.options.traces.handler(),
    ]);
    const options: ChannelOptions = {
      handlers,
      onUnknown: (type) => {
        log.info({ ...facts, type }, 'messages of a router are ignored: their type is unknown');
      },
      onError: (error, { type }) => {
        log.warn({ ...facts, type, err: error }, 'a message of a router could not be worked on');
      },
      onLost: (lost, carriedState) => {
        log.info({ ...facts, type: lost }, 'a router has lost one of its connections');
        // The whole model again would be much for a lost connection that carried circuits alone.
        if (carriedState) this.tellAgain(entry);
      },
      onEnd: (reason) => {
        log.info({ ...facts, reason }, 'a router is disconnected');
        this.remove(entry);
      },
    };
    const channel = new ControlChannel(underlay, options, type);
    const router = new ConnectedRouter(connection, channel, group, followsDataModel, judgesPosture);
    const sync = new SessionSync({
      router,
      apiSessions: (after, limit) => presence.apiSessions(after, limit),
      now,
      onAnnounced: (sessions) => {
        this.noteTokens(sessions);
      },
    });
    const entry: Entry = {
      router,
      sync,
      dataModel: new DataModelSubscription({ router, source: dataModel, now }),
    };
    connection.followsModel(() => entry.dataModel.inStepSince);
    return entry;
  }

  /** Tells a router again what may be lost with one of its connections. */
  private tellAgain({ router, sync, dataModel }: Entry): void {
    this.tellAllPeers(router);
    dataModel.sendAgain().catch(this.onError);
    sync.sendAll().catch(this.onError);
  }

  onSets(): void {
    for (const { dataModel } of this.#entries.values()) dataModel.send().catch(this.onError);
  }

  haveKeys(events: readonly Buffer[]): boolean {
    return [...this.#entries.values()].every(({ dataModel }) => dataModel.hasKeys(events));
  }

  onKeys(events: readonly Buffer[]): void {
    for (const { dataModel } of this.#entries.values()) dataModel.sendKeys(events);
  }

  /** Ends all connections; the routers try again after a while. */
  endAll(reason: string): void {
    for (const { router } of [...this.#entries.values()]) router.channel.end(reason);
  }

  disconnect({ id }: RouterConnection, reason: DisconnectReason): void {
    const router = this.#entries.get(id)?.router;
    if (!router) return;
    if (reason !== 'replaced' && reason !== 'lost') {
      this.options.fabric.routerBarred(router.id).catch(this.onError);
    }
    router.channel.end(`it is ${reason}`);
  }

  apiSessionsChanged(sessions: readonly KnownApiSession[]): void {
    this.noteTokens(sessions);
    for (const { sync } of this.#entries.values()) sync.changed(sessions);
  }

  apiSessionsRemoved(ids: readonly string[]): void {
    const announced = ids.flatMap((id) => {
      const token = this.#tokens.get(id);
      this.#tokens.delete(id);
      return token === undefined ? [] : [{ id, token }];
    });
    if (announced.length === 0) return;
    const ended = {
      tokens: announced.map(({ token }) => token),
      ids: announced.map(({ id }) => id),
    };
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
    for (const id of routerIds) this.#changedPeers.add(id);
    if (!this.#isTellingAll) void this.tellAll();
  }

  resync(): void {
    for (const { sync } of this.#entries.values()) {
      sync.sendAll().catch(this.onError);
    }
  }

  private remove({ router }: Entry): void {
    const { connection } = router;
    this.#entries.delete(connection.id);
    if (this.#routers.get(router.id) === router) {
      this.#routers.delete(router.id);
      this.options.fabric.routerLost(router.id);
    }
    if (this.#entries.size === 0) {
      this.#detach?.();
      this.#detach = undefined;
      clearInterval(this.#heartbeats);
      this.#heartbeats = undefined;
      this.#tokens.clear();
    }
    connection.end().catch(this.onError);
  }

  private readonly onError = (error: unknown): void => {
    this.options.log.warn({ err: error }, 'a command to routers could not be carried out');
  };

  private noteTokens(sessions: readonly KnownApiSession[]): void {
    for (const { id, token } of sessions) this.#tokens.set(id, token);
  }

  /** Tells all routers what has changed, a few of them in each turn of the event loop. */
  private async tellAll(): Promise<void> {
    this.#isTellingAll = true;
    while (this.#changedPeers.size > 0) {
      const ids = [...this.#changedPeers];
      this.#changedPeers.clear();
      for (const [i, router] of [...this.#routers.values()].entries()) {
        if (i % TOLD_IN_A_TURN === TOLD_IN_A_TURN - 1) await nextTurn();
        this.tellPeers(router, ids);
      }
      // What changes meanwhile is told together.
      await delay(PEERS_PAUSE_MILLIS, undefined, { ref: false });
    }
    this.#isTellingAll = false;
  }

  private tellAllPeers(router: ConnectedRouter): void {
    const connected = this.options.presence.routers();
    this.tellPeers(
      router,
      connected.map(({ routerId }) => routerId),
    );
  }

  private tellPeers(router: ConnectedRouter, ids: readonly string[]): void {
    const others = ids.filter((id) => id !== router.id);
    if (others.length === 0) return;
    const changes = others.map((id) => this.peerState(id));
    router.tell(CONTENT.peerStateChanges, messages.PeerStateChanges, { changes });
  }

  private peerState(id: string): Partial<PeerStateChange> {
    const report = this.options.presence.router(id);
    if (!report) return { id, state: this.options.fabric.hasRouter(id) ? 'Unhealthy' : 'Removed' };
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
