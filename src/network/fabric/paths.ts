import type { LinkCosts } from '../../data/rows/fabric/index.js';
import { costOfLink } from './links.js';

/** The way of a circuit: its routers in order, and the links between them. */
export interface Path {
  readonly routerIds: readonly string[];
  /** One less than the routers. */
  readonly linkIds: readonly string[];
  readonly cost: number;
}

export interface RouterNode {
  readonly id: string;
  readonly cost: number;
  /** The router is only an end of paths. */
  readonly noTraversal: boolean;
}

/** The least cost of a router, so that a path of fewer routers is preferred. */
const MIN_ROUTER_COST = 10;
const FIRST_CAPACITY = 16;
const NONE = -1;

/** The cheapest ways from one router to all others, by their places. */
interface Tree {
  readonly costs: Float64Array;
  /** The place before the last one of the way; `NONE` without a way. */
  readonly previous: Int32Array;
}

interface Search extends Tree {
  readonly isDone: Uint8Array;
  /** The cost of entering each place. */
  readonly entry: Float64Array;
}

/**
 * Finds the cheapest paths between connected routers. Routers are often linked with all others, so
 * the costs of links are a matrix: Dijkstra's algorithm reads it row by row, faster than lists of
 * links. The ways from a router are found once for each state of routers and links. Ids decide
 * between equal costs, so that the choice does not depend on the order in which routers connected.
 */
export class Paths {
  /** Router id -> its place in the matrix, which it keeps. */
  readonly #places = new Map<string, number>();
  readonly #ids: string[] = [];
  readonly #nodes = new Map<string, RouterNode>();
  #capacity = FIRST_CAPACITY;
  /** Row and column are places; `Infinity` without a link. */
  #linkCosts = new Float64Array(FIRST_CAPACITY ** 2).fill(Infinity);
  readonly #trees = new Map<number, Tree>();

  constructor(
    private readonly cheapest: (oneId: string, otherId: string) => LinkCosts | undefined,
  ) {}

  /** A router is connected, or costs something else. */
  setRouter(node: RouterNode): void {
    this.#nodes.set(node.id, node);
    this.placeOf(node.id);
    this.#trees.clear();
  }

  /** A router is not connected: no new path crosses it. */
  removeRouter(id: string): void {
    this.#nodes.delete(id);
    this.#trees.clear();
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  /** The links between two routers have changed. */
  linksChanged(oneId: string, otherId: string): void {
    const [one, other] = [this.placeOf(oneId), this.placeOf(otherId)];
    const link = this.cheapest(oneId, otherId);
    const cost = link ? costOfLink(link) : Infinity;
    this.#linkCosts[one * this.#capacity + other] = cost;
    this.#linkCosts[other * this.#capacity + one] = cost;
    this.#trees.clear();
  }

  /** Gives the cheapest path; undefined if there is none, or an end is not connected. */
  between(fromId: string, toId: string): Path | undefined {
    const [from, to] = [this.#places.get(fromId), this.#places.get(toId)];
    if (from === undefined || to === undefined) return undefined;
    if (!this.#nodes.has(fromId) || !this.#nodes.has(toId)) return undefined;
    const { costs, previous } = this.treeOf(from);
    const cost = costs[to] ?? Infinity;
    if (cost === Infinity) return undefined;
    const routerIds = [toId];
    for (let place = to; place !== from;) {
      place = previous[place] ?? from;
      routerIds.push(this.#ids[place] ?? '');
    }
    routerIds.reverse();
    const linkIds = routerIds
      .slice(1)
      .map((id, i) => this.cheapest(routerIds[i] ?? '', id)?.id ?? '');
    return { routerIds, linkIds, cost };
  }

  /** The present cost of a path over these links; `Infinity` if a router is not connected. */
  costOver(routerIds: readonly string[], links: readonly LinkCosts[]): number {
    const ofLinks = links.reduce((sum, link) => sum + costOfLink(link), 0);
    return routerIds.slice(1).reduce((sum, id) => sum + this.entryCost(id), ofLinks);
  }

  private treeOf(from: number): Tree {
    const earlier = this.#trees.get(from);
    if (earlier) return earlier;
    const tree = this.cheapestTree(from);
    this.#trees.set(from, tree);
    return tree;
  }

  private cheapestTree(from: number): Tree {
    const count = this.#ids.length;
    const search = {
      costs: new Float64Array(count).fill(Infinity),
      previous: new Int32Array(count).fill(NONE),
      isDone: new Uint8Array(count),
      // Routers that are not connected are never entered.
      entry: Float64Array.from(this.#ids, (id) => this.entryCost(id)),
    };
    search.costs[from] = 0;
    for (let place = from; place !== NONE;) {
      search.isDone[place] = 1;
      const isCrossed = place === from || !this.#nodes.get(this.#ids[place] ?? '')?.noTraversal;
      place = this.advance(search, place, isCrossed ? (search.costs[place] ?? 0) : Infinity);
    }
    return search;
  }

  /** Enters the neighbours of a place at the cost `start`; gives the cheapest place that is not done. */
  private advance(
    { costs, previous, isDone, entry }: Search,
    place: number,
    start: number,
  ): number {
    const row = place * this.#capacity;
    let nextPlace = NONE;
    let least = Infinity;
    for (let next = 0; next < costs.length; next += 1) {
      if (isDone[next] === 1) continue;
      let cost = costs[next] ?? Infinity;
      const costOverPlace = start + (this.#linkCosts[row + next] ?? 0) + (entry[next] ?? 0);
      if (costOverPlace < cost) {
        cost = costOverPlace;
        costs[next] = cost;
        previous[next] = place;
      } else if (costOverPlace === cost) this.preferFirst(previous, next, place);
      if (cost >= least) continue;
      nextPlace = next;
      least = cost;
    }
    return nextPlace;
  }

  /** Of two equal ways to the place `next`, keeps the one over the router with the first id. */
  private preferFirst(previous: Int32Array, next: number, place: number): void {
    const earlier = previous[next] ?? NONE;
    if (earlier === NONE) return;
    if ((this.#ids[place] ?? '') < (this.#ids[earlier] ?? '')) previous[next] = place;
  }

  private entryCost(id: string): number {
    const node = this.#nodes.get(id);
    return node ? Math.max(node.cost, MIN_ROUTER_COST) : Infinity;
  }

  private placeOf(id: string): number {
    const earlier = this.#places.get(id);
    if (earlier !== undefined) return earlier;
    const place = this.#ids.push(id) - 1;
    this.#places.set(id, place);
    if (place === this.#capacity) this.grow();
    return place;
  }

  private grow(): void {
    const [before, capacity] = [this.#capacity, 2 * this.#capacity];
    const costs = new Float64Array(capacity ** 2).fill(Infinity);
    for (let row = 0; row < before; row += 1) {
      costs.set(this.#linkCosts.subarray(row * before, (row + 1) * before), row * capacity);
    }
    this.#linkCosts = costs;
    this.#capacity = capacity;
  }
}
