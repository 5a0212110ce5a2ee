import { isDeepStrictEqual } from 'node:util';
import type { Link, LinkConnection, LinkCosts } from '../../data/rows/fabric/index.js';
import type { StateStore } from './state-store.js';

export type LinkReport = Pick<
  Link,
  'id' | 'destinationId' | 'iteration' | 'protocol' | 'dialAddress' | 'connections'
>;

export interface LinksOptions {
  /** Called with both ends of each link that came, went, or costs something else. */
  readonly onCosts: (oneId: string, otherId: string) => void;
  readonly stored: Pick<StateStore<Link>, 'put' | 'remove'>;
  readonly now: () => Date;
}

const UNMEASURED_MILLIS = 65_000;
const STATIC_COST = 1;

/** The cost of a link for paths. */
export const costOfLink = (link: LinkCosts): number =>
  link.staticCost + link.sourceLatency + link.destinationLatency;

/**
 * The cheapest of the links between two routers that are not down. Of equal costs the first id
 * counts, so that all controllers name the same link.
 */
export const cheapestOf = <L extends LinkCosts>(links: readonly L[]): L | undefined =>
  links
    .filter(({ isDown }) => !isDown)
    .reduce<L | undefined>(
      (best, link) => (best && !isBetter(link, best) ? best : link),
      undefined,
    );

function isBetter(link: LinkCosts, best: LinkCosts): boolean {
  const difference = costOfLink(link) - costOfLink(best);
  return difference === 0 ? link.id < best.id : difference < 0;
}

/** The links between routers, from their reports. */
export class Links {
  readonly #links = new Map<string, Link>();
  /** Router id -> id of another router -> the links between both. */
  readonly #between = new Map<string, Map<string, Link[]>>();

  /** The links of an earlier owner of the fabric, until routers report them. */
  #earlier: ReadonlyMap<string, Link> = new Map();

  constructor(private readonly options: LinksOptions) {}

  /**
   * Takes over the latencies and settings of links that routers will report. Those of an earlier time
   * as owner are outdated.
   */
  load(links: readonly Link[]): void {
    const outdated = this.all();
    this.#links.clear();
    this.#between.clear();
    for (const { sourceId, destinationId } of outdated) {
      this.options.onCosts(sourceId, destinationId);
    }
    this.#earlier = new Map(links.map((link) => [link.id, link]));
  }

  get(id: string): Link | undefined {
    return this.#links.get(id);
  }

  all(): Link[] {
    return [...this.#links.values()];
  }

  /** The links of a router, dialed by it or by others. */
  of(routerId: string): Link[] {
    return [...(this.#between.get(routerId)?.values() ?? [])].flat();
  }

  /** The cheapest link between two routers. */
  cheapest(oneId: string, otherId: string): Link | undefined {
    return cheapestOf(this.#between.get(oneId)?.get(otherId) ?? []);
  }

  /**
   * Adds the links that a router dialed, and gives the new ones. A link stays unless the report is of
   * a later iteration of it.
   */
  report(sourceId: string, reports: readonly LinkReport[]): Link[] {
    const added: Link[] = [];
    for (const report of reports) {
      const earlier = this.#links.get(report.id);
      if (earlier && (earlier.sourceId !== sourceId || earlier.iteration >= report.iteration))
        continue;
      if (earlier) this.remove(earlier.id);
      const link = { ...this.firstState(sourceId, report), ...report, sourceId };
      this.add(link);
      added.push(link);
    }
    return added;
  }

  /** Sets the latency that one end of a link has measured. */
  measured(routerId: string, id: string, millis: number): void {
    const link = this.#links.get(id);
    if (!link) return;
    this.change(link, {
      ...(link.sourceId === routerId ? { sourceLatency: millis } : {}),
      ...(link.destinationId === routerId ? { destinationLatency: millis } : {}),
    });
  }

  /** Sets the connections that the router which dialed a link reports. */
  connected(sourceId: string, id: string, connections: readonly LinkConnection[]): void {
    const link = this.#links.get(id);
    if (link?.sourceId === sourceId) this.change(link, { connections });
  }

  /** Sets what is decided by hand; gives whether there is such a link. */
  set(id: string, settings: Partial<Pick<Link, 'staticCost' | 'isDown'>>): boolean {
    const link = this.#links.get(id);
    if (link) this.change(link, settings);
    return link !== undefined;
  }

  remove(id: string): void {
    const link = this.#links.get(id);
    if (!link) return;
    this.#links.delete(id);
    this.options.stored.remove(link);
    this.changePair(link, (links) => links.filter((other) => other !== link));
  }

  private firstState(
    sourceId: string,
    { id, iteration }: LinkReport,
  ): Omit<Link, keyof LinkReport | 'sourceId'> {
    const earlier = this.#earlier.get(id);
    if (earlier?.sourceId === sourceId && earlier.iteration === iteration) return earlier;
    return {
      staticCost: STATIC_COST,
      isDown: false,
      sourceLatency: UNMEASURED_MILLIS,
      destinationLatency: UNMEASURED_MILLIS,
      createdAt: this.options.now(),
    };
  }

  private change(link: Link, changes: Partial<Link>): void {
    const changed = { ...link, ...changes };
    if (isDeepStrictEqual(changed, link)) return;
    this.#links.set(link.id, changed);
    this.options.stored.put(changed);
    const replace = (links: readonly Link[]): Link[] =>
      links.map((other) => (other === link ? changed : other));
    const isOther = costOfLink(changed) !== costOfLink(link) || changed.isDown !== link.isDown;
    this.changePair(changed, replace, isOther);
  }

  private add(link: Link): void {
    this.#links.set(link.id, link);
    this.options.stored.put(link);
    this.changePair(link, (links) => [...links, link]);
  }

  private changePair(
    { sourceId, destinationId }: Link,
    change: (links: readonly Link[]) => Link[],
    isForPaths = true,
  ): void {
    const links = change(this.#between.get(sourceId)?.get(destinationId) ?? []);
    this.setPair(sourceId, destinationId, links);
    this.setPair(destinationId, sourceId, links);
    if (isForPaths) this.options.onCosts(sourceId, destinationId);
  }

  private setPair(oneId: string, otherId: string, links: Link[]): void {
    const ofOne = this.#between.get(oneId) ?? new Map<string, Link[]>();
    if (links.length > 0) ofOne.set(otherId, links);
    else ofOne.delete(otherId);
    if (ofOne.size > 0) this.#between.set(oneId, ofOne);
    else this.#between.delete(oneId);
  }
}
