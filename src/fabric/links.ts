/** A link between two routers, as the router that dialed it reports it. */
export interface Link {
  readonly id: string;
  readonly sourceId: string;
  readonly destinationId: string;
  /** Grows each time the link is made again. */
  readonly iteration: number;
  readonly protocol: string;
  readonly dialAddress: string;
  readonly staticCost: number;
  /** Whole milliseconds, as each end measures them; at first those of a link to avoid. */
  readonly sourceLatency: number;
  readonly destinationLatency: number;
}

export type LinkReport = Pick<
  Link,
  'id' | 'destinationId' | 'iteration' | 'protocol' | 'dialAddress'
>;

const UNMEASURED_MILLIS = 65_000;
const STATIC_COST = 1;

/** The cost of a link for paths. */
export const costOfLink = (link: Link): number =>
  link.staticCost + link.sourceLatency + link.destinationLatency;

/** The links between routers, from their reports. */
export class Links {
  readonly #links = new Map<string, Link>();
  /** Router id -> id of another router -> the links between both. */
  readonly #between = new Map<string, Map<string, Link[]>>();

  /** @param onChange called with both ends of each link that came, went or changed */
  constructor(private readonly onChange: (oneId: string, otherId: string) => void) {}

  get(id: string): Link | undefined {
    return this.#links.get(id);
  }

  all(): Iterable<Link> {
    return this.#links.values();
  }

  /** The links of a router, dialed by it or by others. */
  of(routerId: string): Link[] {
    return [...(this.#between.get(routerId)?.values() ?? [])].flat();
  }

  /** The cheapest link between two routers. */
  cheapest(oneId: string, otherId: string): Link | undefined {
    const links = this.#between.get(oneId)?.get(otherId) ?? [];
    return links.reduce<Link | undefined>(
      (best, link) => (best && costOfLink(best) <= costOfLink(link) ? best : link),
      undefined,
    );
  }

  /** Adds the links that a router dialed. A link stays unless the report is of a later iteration of it. */
  report(sourceId: string, reports: readonly LinkReport[]): void {
    for (const report of reports) {
      const earlier = this.#links.get(report.id);
      if (earlier && (earlier.sourceId !== sourceId || earlier.iteration >= report.iteration))
        continue;
      if (earlier) this.remove(earlier.id);
      this.add({
        ...report,
        sourceId,
        staticCost: STATIC_COST,
        sourceLatency: UNMEASURED_MILLIS,
        destinationLatency: UNMEASURED_MILLIS,
      });
    }
  }

  /** Sets the latency that one end of a link has measured. */
  measured(routerId: string, id: string, millis: number): void {
    const link = this.#links.get(id);
    if (!link) return;
    const changed = {
      ...link,
      ...(link.sourceId === routerId ? { sourceLatency: millis } : {}),
      ...(link.destinationId === routerId ? { destinationLatency: millis } : {}),
    };
    this.#links.set(id, changed);
    const replace = (links: readonly Link[]): Link[] =>
      links.map((other) => (other === link ? changed : other));
    this.changePair(changed, replace, costOfLink(changed) !== costOfLink(link));
  }

  remove(id: string): void {
    const link = this.#links.get(id);
    if (!link) return;
    this.#links.delete(id);
    this.changePair(link, (links) => links.filter((other) => other !== link));
  }

  private add(link: Link): void {
    this.#links.set(link.id, link);
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
    if (isForPaths) this.onChange(sourceId, destinationId);
  }

  private setPair(oneId: string, otherId: string, links: Link[]): void {
    const ofOne = this.#between.get(oneId) ?? new Map<string, Link[]>();
    if (links.length > 0) ofOne.set(otherId, links);
    else ofOne.delete(otherId);
    if (ofOne.size > 0) this.#between.set(oneId, ofOne);
    else this.#between.delete(oneId);
  }
}
