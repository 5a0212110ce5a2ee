import type { ClassLayout } from './class-layout.js';
import type { MapChange, DistinctSide } from './map-scope.js';

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
  /** By class: the number of the added sides that contain it. */
  readonly #hits = new Map<MapChange, Int32Array>();
  /** By cell: the number of the added sides that contain it in both states. */
  readonly #cellHits: Int32Array;

  constructor(private readonly layout: ClassLayout) {
    const { classes, nodes } = layout;
    this.#sizes = Int32Array.from(nodes, ({ items }) =>
      items.reduce((sum, number) => sum + classes.sizeOf(number), 0),
    );
    this.#counts = new Int32Array(nodes.length);
    this.#fullCounts = new Int32Array(nodes.length);
    this.#cellHits = new Int32Array(classes.classesOfCells('after').count);
  }

  /** Gives a text that is equal for lists with all or some members of the same nodes. */
  patternOf(numbers: Int32Array): string {
    const counts = this.#counts;
    this.#count(numbers);
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
  ofOne(side: DistinctSide): NodeCount[] {
    return [...this.layout.classes.inSide(side)].flatMap(([change, numbers]) => {
      this.#count(numbers);
      return this.#taken(change, this.#counts);
    });
  }

  /** Adds a side to those that `ofAdded` counts. */
  add(side: DistinctSide): void {
    const { classes } = this.layout;
    if (classes.isKept(side)) {
      for (const cell of classes.cellsOf(side, 'after')) add(this.#cellHits, cell, 1);
      return;
    }
    for (const [change, numbers] of classes.inSide(side)) {
      const hits = this.#hitsOf(change);
      for (let i = 0; i < numbers.length; i += 1) add(hits, numbers[i] ?? 0, 1);
    }
  }

  /** Counts the entities that are in added sides with one change, and in others with another one. */
  countInBoth(one: MapChange, other: MapChange): number {
    this.#spreadCellHits();
    const { sizes } = this.layout.classes;
    const first = this.#hits.get(one);
    const second = this.#hits.get(other);
    let count = 0;
    for (let number = 0; first && second && number < first.length; number += 1) {
      if (first[number] !== 0 && second[number] !== 0) count += sizes[number] ?? 0;
    }
    return count;
  }

  /** Gives the nodes with members in at least one of the added sides, and forgets the sides. */
  ofAdded(sideCount: number): NodeCount[] {
    this.#spreadCellHits();
    return [...this.#hits].flatMap(([change, hits]) => {
      this.#countHits(hits, sideCount);
      return this.#taken(change, this.#fullCounts);
    });
  }

  #hitsOf(change: MapChange): Int32Array {
    const hits = this.#hits.get(change) ?? new Int32Array(this.layout.classes.count);
    this.#hits.set(change, hits);
    return hits;
  }

  /** Adds the hits of cells to those of their classes. */
  #spreadCellHits(): void {
    const cellHits = this.#cellHits;
    const lists = this.layout.classes.classesOfCells('after');
    const hits = this.#hitsOf('KEPT');
    for (let cell = 0; cell < cellHits.length; cell += 1) {
      const count = cellHits[cell] ?? 0;
      if (count === 0) continue;
      cellHits[cell] = 0;
      const numbers = lists.at(cell);
      for (let i = 0; i < numbers.length; i += 1) add(hits, numbers[i] ?? 0, count);
    }
  }

  /** Counts the members of classes with hits by nodes, and of those with all hits; forgets the hits. */
  #countHits(hits: Int32Array, most: number): void {
    const { classes, nodeOf } = this.layout;
    for (let number = 0; number < hits.length; number += 1) {
      const hitCount = hits[number] ?? 0;
      if (hitCount === 0) continue;
      hits[number] = 0;
      const node = nodeOf[number] ?? 0;
      add(this.#counts, node, classes.sizeOf(number));
      if (hitCount === most) add(this.#fullCounts, node, classes.sizeOf(number));
    }
  }

  #count(numbers: Int32Array): void {
    const { classes, nodeOf } = this.layout;
    for (let i = 0; i < numbers.length; i += 1) {
      const number = numbers[i] ?? 0;
      add(this.#counts, nodeOf[number] ?? 0, classes.sizeOf(number));
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

const add = (counts: Int32Array, at: number, count: number): void => {
  counts[at] = (counts[at] ?? 0) + count;
};
