import type { ClassLayout } from './class-layout.js';
import type { MapChange } from './map-scope.js';
import type { OrdinalsByChange } from './side-members.js';

/** The members of a node that are in the side of several policies. */
export interface NodeCount {
  readonly node: number;
  readonly change: MapChange;
  /** Those in the side of at least one policy. */
  readonly count: number;
  /** Whether all members of the node are in the side of all policies. */
  readonly isComplete: boolean;
}

/** Counts the members of sides of policies by nodes. */
export class NodeCounts {
  readonly #sizes: Int32Array;
  /** By node. */
  readonly #counts: Int32Array;
  readonly #fullCounts: Int32Array;
  /** By ordinal: the number of the added sides that contain it. */
  readonly #hits = new Map<MapChange, Int32Array>();

  constructor(private readonly layout: ClassLayout) {
    const { classes, nodes } = layout;
    this.#sizes = Int32Array.from(nodes, ({ items }) =>
      items.reduce((sum, number) => sum + classes.sizeOf(number), 0),
    );
    this.#counts = new Int32Array(nodes.length);
    this.#fullCounts = new Int32Array(nodes.length);
  }

  /** Gives a text that is equal for lists with all or some members of the same nodes. */
  patternOf(ordinals: Int32Array): string {
    const counts = this.#counts;
    this.#count(ordinals);
    let pattern = '';
    for (let node = 0; node < counts.length; node += 1) {
      const count = counts[node];
      if (count === 0) continue;
      pattern += String.fromCharCode(2 * node + Number(count === this.#sizes[node]));
      counts[node] = 0;
    }
    return pattern;
  }

  /** Gives the nodes with members in one side. */
  ofOne(members: OrdinalsByChange): NodeCount[] {
    return [...members].flatMap(([change, ordinals]) => {
      this.#count(ordinals);
      return this.#taken(change, this.#counts);
    });
  }

  /** Adds a side to those that `ofAdded` counts. */
  add(members: OrdinalsByChange): void {
    for (const [change, ordinals] of members) {
      const hits = this.#hits.get(change) ?? new Int32Array(this.layout.nodeOf.length);
      this.#hits.set(change, hits);
      for (let i = 0; i < ordinals.length; i += 1) {
        const ordinal = ordinals[i] ?? 0;
        hits[ordinal] = (hits[ordinal] ?? 0) + 1;
      }
    }
  }

  /** Counts the entities in at least one of the added sides, with one of at most two changes. */
  addedCount(changes: readonly MapChange[]): number {
    const [first, second = first] = changes.flatMap((change) => this.#hits.get(change) ?? []);
    let count = 0;
    for (let ordinal = 0; first && second && ordinal < first.length; ordinal += 1) {
      if (first[ordinal] !== 0 || second[ordinal] !== 0) count += 1;
    }
    return count;
  }

  /** Gives the nodes with members in at least one of the added sides, and forgets the sides. */
  ofAdded(sideCount: number): NodeCount[] {
    return [...this.#hits].flatMap(([change, hits]) => {
      this.#countHits(hits, sideCount);
      return this.#taken(change, this.#fullCounts);
    });
  }

  /** Counts ordinals with hits by nodes, and those with all hits; forgets the hits. */
  #countHits(hits: Int32Array, most: number): void {
    const { nodeOf } = this.layout;
    const counts = this.#counts;
    const fullCounts = this.#fullCounts;
    for (let ordinal = 0; ordinal < hits.length; ordinal += 1) {
      const hitCount = hits[ordinal] ?? 0;
      if (hitCount === 0) continue;
      hits[ordinal] = 0;
      const node = nodeOf[ordinal] ?? 0;
      counts[node] = (counts[node] ?? 0) + 1;
      if (hitCount === most) fullCounts[node] = (fullCounts[node] ?? 0) + 1;
    }
  }

  #count(ordinals: Int32Array): void {
    const { nodeOf } = this.layout;
    const counts = this.#counts;
    for (let i = 0; i < ordinals.length; i += 1) {
      const node = nodeOf[ordinals[i] ?? 0] ?? 0;
      counts[node] = (counts[node] ?? 0) + 1;
    }
  }

  /** Gives the nodes that were counted, ascending, and begins anew. */
  #taken(change: MapChange, fullCounts: Int32Array): NodeCount[] {
    const nodes: NodeCount[] = [];
    for (let node = 0; node < this.#counts.length; node += 1) {
      const count = this.#counts[node] ?? 0;
      if (count === 0) continue;
      nodes.push({ node, change, count, isComplete: fullCounts[node] === this.#sizes[node] });
    }
    this.#counts.fill(0);
    this.#fullCounts.fill(0);
    return nodes;
  }
}
