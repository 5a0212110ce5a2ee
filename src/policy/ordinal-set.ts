import { Bitset } from './bitset.js';

/** A set above the first size becomes a bitset; below the second size it becomes a list again. */
const DENSE_ABOVE = 1024;
const SPARSE_BELOW = 512;

/** A set of ordinals with small memory use: an ascending list for few members, a bitset for many. */
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

  /** Adds an ordinal, which must not be a member. */
  add(ordinal: number): void {
    this.members += 1;
    if (this.held instanceof Bitset) {
      this.held.set(ordinal);
      return;
    }
    this.held.splice(lowerBound(this.held, ordinal), 0, ordinal);
    if (this.members > DENSE_ABOVE) this.held = Bitset.of(this.held);
  }

  /** Removes an ordinal, which must be a member. */
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

  /** Adds the intersection of all sets to `target`; without sets, nothing. */
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

/** The position of `ordinal` in the ascending list, or where to insert it. */
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
