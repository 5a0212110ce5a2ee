import { Bitset } from './bitset.js';

/** A set above the first size becomes a bitset; below the second size it becomes a list again. */
const DENSE_ABOVE = 1024;
const SPARSE_BELOW = 512;

/** A set of ordinals with small memory use: an ascending list for few members, a bitset for many. */
export class OrdinalSet {
  private storage: number[] | Bitset = [];
  private members = 0;

  get size(): number {
    return this.members;
  }

  has(ordinal: number): boolean {
    if (this.storage instanceof Bitset) return this.storage.has(ordinal);
    return this.storage[lowerBound(this.storage, ordinal)] === ordinal;
  }

  /** Adds an ordinal, which must not be a member. */
  add(ordinal: number): void {
    this.members += 1;
    if (this.storage instanceof Bitset) {
      this.storage.set(ordinal);
      return;
    }
    this.storage.splice(lowerBound(this.storage, ordinal), 0, ordinal);
    if (this.members > DENSE_ABOVE) this.storage = Bitset.of(this.storage);
  }

  /** Removes an ordinal, which must be a member. */
  delete(ordinal: number): void {
    this.members -= 1;
    if (!(this.storage instanceof Bitset)) {
      this.storage.splice(lowerBound(this.storage, ordinal), 1);
      return;
    }
    this.storage.clear(ordinal);
    if (this.members < SPARSE_BELOW) this.storage = [...this.storage];
  }

  forEach(visit: (ordinal: number) => void): void {
    this.storage.forEach((ordinal) => {
      visit(ordinal);
    });
  }

  /** Adds the members that `other` has, too, to `target`; gives their number. */
  addCommon(other: Bitset, target: Bitset): number {
    if (this.storage instanceof Bitset) {
      const common = this.storage.clone().and(other);
      target.or(common);
      return common.popcount();
    }
    let count = 0;
    for (const ordinal of this.storage) {
      if (!other.has(ordinal)) continue;
      target.set(ordinal);
      count += 1;
    }
    return count;
  }

  addTo(target: Bitset): void {
    if (this.storage instanceof Bitset) target.or(this.storage);
    else for (const ordinal of this.storage) target.set(ordinal);
  }

  /** Adds the intersection of all sets to `target`; without sets, nothing. */
  static addIntersection(sets: readonly OrdinalSet[], target: Bitset): void {
    const [smallest, ...others] = sets.toSorted((a, b) => a.size - b.size);
    if (!smallest) return;
    const bitsets = others
      .map(({ storage }) => storage)
      .filter((storage) => storage instanceof Bitset);
    if (smallest.storage instanceof Bitset && bitsets.length === others.length) {
      const common = smallest.storage.clone();
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
