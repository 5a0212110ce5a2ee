import {
  circuitEvents,
  links,
  type Link,
  type LinkConnection,
} from '../../data/rows/fabric/index.js';
import {
  routerMetrics,
  routers,
  type Metric,
  type RouterMetrics,
} from '../../data/rows/router/index.js';
import type { ServiceSession } from '../../data/rows/session/index.js';
import { isChangeOf, type Change, type Rows, type Store } from '../../kernel/request/store-port.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { PolicyIndex } from '../../kernel/policy/index.js';
import { Bindings } from './bindings.js';
import { Circuits } from './circuits.js';
import type { FabricFact } from './fabric-fact.js';
import { Links, type LinkReport } from './links.js';
import { Paths } from './paths.js';
import { PostureGuard, type PostureJudge } from './posture-guard.js';
import type { RouterPort } from './router-port.js';
import type { MetricsReport } from './metrics-report.js';
import { moveDearCircuits } from './smart-rerouting.js';
import { StateStore, type StateTable } from './state-store.js';
import { Usage } from './usage.js';
import type { UseObserver } from './use-observer.js';

export interface FabricOptions {
  readonly store: Store;
  readonly index: Pick<PolicyIndex, 'commonRouters'>;
  readonly routers: RouterPort;
  readonly judge: PostureJudge;
  /** Whether this controller owns the fabric. Until then it stores nothing. Default: always. */
  readonly isOwner?: (() => boolean) | undefined;
  /** The context of what the controller does itself. */
  readonly context: () => RequestContext;
  readonly now: () => Date;
  readonly random: () => number;
  /** The time for which the bytes of an hour are kept. */
  readonly keepUsageMillis: number;
  /** Called with what happens to routers, links and circuits. */
  readonly onFact?: ((fact: FabricFact) => void) | undefined;
  /** Called with what routers have measured. */
  readonly onReport?: ((report: MetricsReport, links: LinkSource) => void) | undefined;
  /** Called when an identity has dialed or hosts a service. */
  readonly onUse?: UseObserver | undefined;
  readonly onError: (error: unknown) => void;
}

/** The links by their ids. */
export type LinkSource = Pick<Links, 'get'>;

/** A link that is gone at one end. */
export interface LinkFault {
  readonly linkId: string;
  readonly iteration: number;
  /** The routers have a link already. */
  readonly isDuplicate: boolean;
}

interface LinksInReport {
  readonly betweenRouters: readonly LinkReport[];
  readonly added: readonly Link[];
}

/** The resources whose changes decide which routers a client may use. */
const DECIDES_ROUTERS: ReadonlySet<string> = new Set([
  'EdgeRouterPolicy',
  'ServiceEdgeRouterPolicy',
  'EdgeRouter',
  'Identity',
  'Service',
]);
/** A router has a few links to each other one; more are ignored. */
const MAX_LINKS = 10_000;
/** Changes that come together are checked together. */
const RECHECK_MILLIS = 100;
/** A router with many links has measured a few hundred kilobytes. */
const MAX_METRICS_IN_ONE_WRITE = 10;
const NANOS_PER_MILLI = 1_000_000;
/** Links count how often they were made again; the table has no larger numbers. */
const MAX_ITERATION = 0x7fff_ffff;
/** A router that measures more is wrong: no frame takes so long. */
const MAX_LATENCY_MILLIS = 600_000;

/** The terminators of clients of routers, the links between routers, and the circuits over them. */
export class Fabric {
  readonly bindings: Bindings;
  readonly circuits: Circuits;
  readonly links: Links;
  readonly usage: Usage;
  readonly paths = new Paths((oneId, otherId) => this.links.cheapest(oneId, otherId));
  readonly #posture: PostureGuard;
  readonly #storedLinks: StateStore<Link>;
  readonly #storedMetrics: StateStore<RouterMetrics>;
  /** All routers, connected or not. */
  readonly #routerIds = new Set<string>();
  /** The generation of the volatile tables that have the links and circuits. */
  #storedGeneration: string | undefined;
  #recheck: NodeJS.Timeout | undefined;

  constructor(private readonly options: FabricOptions) {
    const { store, now, isOwner, onError } = options;
    this.#storedLinks = new StateStore({ table: linksIn(store), isOwner, onError });
    this.#storedMetrics = new StateStore({
      table: { put: (metrics) => routerMetrics.put(store, metrics) },
      onError,
      mostInOneWrite: MAX_METRICS_IN_ONE_WRITE,
    });
    this.links = new Links({
      onCosts: (oneId, otherId) => {
        this.paths.linksChanged(oneId, otherId);
      },
      stored: this.#storedLinks,
      now,
    });
    this.#posture = new PostureGuard(store, options.routers, options.judge);
    this.bindings = new Bindings({ ...options, posture: this.#posture });
    this.circuits = new Circuits({
      ...options,
      posture: this.#posture,
      paths: this.paths,
      onInvalidTerminator: ({ id, routerId }) => this.bindings.remove(routerId, [id]),
    });
    this.usage = new Usage({
      ...{ store, now, onError },
      circuit: (id) => this.circuits.lately(id),
      keepMillis: options.keepUsageMillis,
    });
    store.onChange((changes) => {
      this.applyChanges(changes);
    });
  }

  /** Takes the routers over from an earlier owner. */
  async load(): Promise<void> {
    this.#storedLinks.forget();
    for (const id of await routers.allIds(this.options.store)) this.#routerIds.add(id);
    this.links.load(await links.takeAll(this.options.store));
    await this.circuits.load();
    this.#storedGeneration = await circuitEvents.generation(this.options.store);
  }

  /** Stores the links and circuits again if the database has lost them, as it does in a crash. */
  async storeLostState(): Promise<void> {
    const generation = await circuitEvents.generation(this.options.store);
    if (generation === this.#storedGeneration) return;
    for (const link of this.links.all()) this.#storedLinks.put(link);
    this.circuits.storeAgain();
    this.#storedGeneration = generation;
  }

  /** Whether there is such a router, connected or not. */
  hasRouter(id: string): boolean {
    return this.#routerIds.has(id);
  }

  /** A router is connected; a new one was started anew, and has neither circuits nor links. */
  async routerConnected(routerId: string, isNew: boolean): Promise<void> {
    this.#routerIds.add(routerId);
    this.#posture.routerConnected(routerId);
    const costs = await routers.findCosts(this.options.store, routerId);
    // A router that connects again may still count as connected.
    const isBack = !this.paths.has(routerId);
    const lostAt = isBack ? this.circuits.lateDials.lostAt(routerId) : this.options.now().getTime();
    this.paths.setRouter(costs ?? { id: routerId, cost: 0, noTraversal: false });
    if (isBack) this.options.onFact?.({ kind: 'routerOnline', routerId });
    else this.circuits.ends.connectionLost(routerId);
    this.circuits.routerConnected(routerId, isNew);
    await this.circuits.endFailing(routerId);
    // Links that others dialed since then lead to the router that was started anew.
    const isOutdated = ({ sourceId, createdAt }: Link): boolean =>
      sourceId === routerId || (lostAt !== undefined && createdAt.getTime() < lostAt);
    if (isNew) await this.removeLinks(this.links.of(routerId).filter(isOutdated));
  }

  /**
   * The connection to a router is lost: it gets no new circuits. What it carries continues, since
   * routers report links that are gone themselves.
   */
  routerLost(routerId: string): void {
    const wasConnected = this.paths.has(routerId);
    this.paths.removeRouter(routerId);
    this.circuits.lateDials.lost(routerId);
    if (this.hasRouter(routerId)) this.circuits.ends.connectionLost(routerId);
    if (wasConnected) this.options.onFact?.({ kind: 'routerOffline', routerId });
  }

  /** A router may carry nothing any more. */
  async routerBarred(routerId: string): Promise<void> {
    this.circuits.routerBarred(routerId);
    await this.removeLinks(this.links.of(routerId));
  }

  /** A router reports links that it dialed; a full report names all of them. */
  async reportLinks(
    routerId: string,
    reports: readonly LinkReport[],
    isFull: boolean,
  ): Promise<void> {
    const betweenRouters = reports.filter(
      ({ destinationId, iteration }) =>
        this.#routerIds.has(destinationId) && iteration <= MAX_ITERATION,
    );
    const reported = new Set(betweenRouters.map(({ id }) => id));
    const earlier = this.links.of(routerId);
    const gone = earlier.filter(
      ({ sourceId, id }) => isFull && sourceId === routerId && !reported.has(id),
    );
    const free = Math.max(0, MAX_LINKS - earlier.length);
    const added = this.links.report(routerId, betweenRouters.slice(0, free));
    this.announceLinks(routerId, { betweenRouters, added });
    await this.removeLinks(gone);
  }

  /** A router tells what it has measured and counted. */
  applyReport(report: MetricsReport): void {
    const { routerId, measuredAt, metrics, usage } = report;
    this.usage.report(routerId, usage);
    for (const [linkId, nanos] of latenciesOf(metrics)) {
      const millis = Math.floor(nanos / NANOS_PER_MILLI);
      this.links.measured(routerId, linkId, Math.min(Math.max(0, millis), MAX_LATENCY_MILLIS));
    }
    this.#storedMetrics.put({ id: routerId, measuredAt, metrics });
    this.options.onReport?.(report, this.links);
  }

  /** A router reports the connections of a link that it dialed. */
  linkConnected(routerId: string, linkId: string, connections: readonly LinkConnection[]): void {
    const earlier = this.links.get(linkId);
    this.links.connected(routerId, linkId, connections);
    const link = this.links.get(linkId);
    if (link && link !== earlier) this.options.onFact?.({ kind: 'linkConnections', link });
  }

  /**
   * A router reports that a link of it is gone, perhaps because there is another one; the other end
   * closes it, too.
   */
  async linkFault(routerId: string, { linkId, iteration, isDuplicate }: LinkFault): Promise<void> {
    const link = this.links.get(linkId);
    if (!link || link.iteration > iteration) return;
    if (link.sourceId !== routerId && link.destinationId !== routerId) return;
    this.options.onFact?.({ kind: 'linkFault', link, isDuplicate });
    await this.removeLinks([link]);
    const otherEnd = link.sourceId === routerId ? link.destinationId : link.sourceId;
    this.options.routers.closeLink(otherEnd, linkId, iteration);
  }

  /** Posture of sessions over OpenID Connect fails by what the controller has. */
  async postureLost(lost: readonly ServiceSession[]): Promise<void> {
    if (this.options.isOwner?.() === false) return;
    this.circuits.endUnfit(lost.map(({ id }) => id));
    await this.bindings.removeUnfit(lost.filter(({ type }) => type === 'Bind'));
  }

  /** Moves a few circuits from paths that have become dear. */
  moveDearCircuits(): Promise<void> {
    return moveDearCircuits(this);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#recheck);
    const stored = [this.#storedLinks.stop(), this.#storedMetrics.stop()];
    await Promise.all([this.circuits.stop(), ...stored, this.usage.stop()]);
  }

  /** Ends the circuits whose clients or hosts may not use their routers any more. */
  private recheckRouters(): void {
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      this.circuits.endOverForbiddenRouters();
    }, RECHECK_MILLIS);
  }

  private announceLinks(routerId: string, { betweenRouters, added }: LinksInReport): void {
    const { onFact } = this.options;
    if (!onFact) return;
    for (const { id } of betweenRouters) {
      const link = this.links.get(id);
      if (link?.sourceId !== routerId) continue;
      const isDestinationConnected = this.paths.has(link.destinationId);
      const isNew = added.includes(link);
      onFact({ kind: 'linkReported', link, isNew, isDestinationConnected });
    }
  }

  private async removeLinks(links: readonly Link[]): Promise<void> {
    const ids = new Set(links.map(({ id }) => id));
    for (const id of ids) this.links.remove(id);
    if (ids.size > 0) await this.circuits.leaveLinks(ids);
  }

  private applyChanges(changes: readonly Change[]): void {
    const ended = changes.filter(
      (change): change is Change<'Session'> =>
        isChangeOf('Session', change) && change.operation === 'delete',
    );
    this.circuits.endOfSessions(ended.map(({ id }) => id));
    const hosts = ended.flatMap(({ before }) => {
      const { identityId = '', serviceId = '', type } = before ?? {};
      return type === 'Bind' ? [{ identityId, serviceId }] : [];
    });
    if (hosts.length > 0) this.bindings.removeUnhosted(hosts).catch(this.options.onError);
    if (changes.some(({ resource }) => DECIDES_ROUTERS.has(resource))) this.recheckRouters();
    for (const change of changes) {
      if (isChangeOf('EdgeRouter', change) || isChangeOf('TransitRouter', change)) {
        this.applyRouter(change).catch(this.options.onError);
      } else if (isChangeOf('Link', change)) {
        this.applyLink(change).catch(this.options.onError);
      } else if (isChangeOf('Circuit', change)) {
        const circuit = this.circuits.get(change.id);
        if (circuit) this.circuits.end(circuit, true);
      }
    }
  }

  /** Somebody has changed or deleted a link; its circuits find other paths. */
  private async applyLink({ id, after }: Change<'Link'>): Promise<void> {
    const link = this.links.get(id);
    if (!link) return;
    if (after) {
      const { down: isDown = link.isDown, staticCost = link.staticCost } = after;
      this.links.set(id, { isDown, staticCost });
      await this.circuits.leaveLinks(new Set([id]));
      return;
    }
    await this.removeLinks([link]);
    for (const routerId of [link.sourceId, link.destinationId]) {
      this.options.routers.closeLink(routerId, id, link.iteration);
    }
  }

  private async applyRouter({ id, after }: Change<'EdgeRouter' | 'TransitRouter'>): Promise<void> {
    if (!after) {
      this.#routerIds.delete(id);
      this.circuits.lateDials.deleted(id);
      this.#posture.routerDeleted(id);
      this.circuits.ends.forget(id);
      this.options.routers.routersDeleted([id]);
      // A router that was not connected has no connection whose end would remove them.
      await this.removeLinks(this.links.of(id));
      return;
    }
    this.#routerIds.add(id);
    if (!this.paths.has(id)) return;
    this.paths.setRouter({ id, cost: after.cost ?? 0, noTraversal: after.noTraversal ?? false });
  }
}

/** Values set by hand in a stored link stay, unless the link was made again. */
const linksIn = (rows: Rows): StateTable<Link> => ({
  put: (some) => links.put(rows, some),
  remove: (some) =>
    links.remove(
      rows,
      some.map(({ id }) => id),
    ),
});

/** The mean time over each link with the mean time that frames wait before it. */
function latenciesOf(metrics: readonly Metric[]): Map<string, number> {
  const means = (wanted: string): [string, number][] =>
    metrics.flatMap(({ kind, name, entityId, values: { mean } }) =>
      kind === 'histogram' && name === wanted && entityId !== undefined && mean !== undefined
        ? [[entityId, mean]]
        : [],
    );
  const waits = new Map(means('link.queue_time'));
  const latencies = new Map<string, number>();
  for (const [id, mean] of means('link.latency')) latencies.set(id, mean + (waits.get(id) ?? 0));
  return latencies;
}
