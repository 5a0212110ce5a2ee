import { Bitset } from './bitset.js';

/** Sets above the first size become bitsets; below the second they go back to a list. */
const DENSE_ABOVE = 1024;
const SPARSE_BELOW = 512;

/**
 * A set of ordinals that is small in memory whether it has few members (an ascending list) or many
 * (a bitset).
 */
export class OrdinalSet {
  private held: number[] | Bitset = [];
  private members = 0;

  get size(): number {
    return this.members;
  }

  has(ordinal: number): boolean {
    if (this.held instanceof Bitset) return this.held.has(ordinal);
    return this.held[lowerBound(this.held, ordinal)] === ordinal;
  }

  /** A member must not be added again. */
  add(ordinal: number): void {
    this.members += 1;
    if (this.held instanceof Bitset) {
      this.held.set(ordinal);
      return;
    }
    this.held.splice(lowerBound(this.held, ordinal), 0, ordinal);
    if (this.members > DENSE_ABOVE) this.held = Bitset.of(this.held);
  }

  /** Only a member may be removed. */
  delete(ordinal: number): void {
    this.members -= 1;
    if (!(this.held instanceof Bitset)) {
      this.held.splice(lowerBound(this.held, ordinal), 1);
      return;
    }
    this.held.clear(ordinal);
    if (this.members < SPARSE_BELOW) this.held = [...this.held];
  }

  forEach(visit: (ordinal: number) => void): void {
    this.held.forEach((ordinal) => {
      visit(ordinal);
    });
  }

  addTo(target: Bitset): void {
    if (this.held instanceof Bitset) target.or(this.held);
    else for (const ordinal of this.held) target.set(ordinal);
  }

  /** Adds to `target` what all the sets have in common; of no sets, nothing. */
  static addIntersection(sets: readonly OrdinalSet[], target: Bitset): void {
    const [smallest, ...others] = sets.toSorted((a, b) => a.size - b.size);
    if (!smallest) return;
    const bitsets = others.map(({ held }) => held).filter((held) => held instanceof Bitset);
    if (smallest.held instanceof Bitset && bitsets.length === others.length) {
      const common = smallest.held.clone();
      for (const bitset of bitsets) common.and(bitset);
      target.or(common);
      return;
    }
    smallest.forEach((ordinal) => {
      if (others.every((other) => other.has(ordinal))) target.set(ordinal);
    });
  }
}

/** Where `ordinal` is in the ascending list, or would be inserted. */
function lowerBound(list: readonly number[], ordinal: number): number {
  const last = list.at(-1);
  if (last === undefined || last < ordinal) return list.length;
  let low = 0;
  let high = list.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < ordinal) low = middle + 1;
    else high = middle;
  }
  return low;
}
