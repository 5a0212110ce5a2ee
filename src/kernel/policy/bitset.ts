/**
 * A growing set of small non-negative integers, one bit each. Combining operations change the set
 * they are called on and return it.
 */
export class Bitset implements Iterable<number> {
  private words: Uint32Array;

  /** `capacity`: initial number of bits; the set grows when needed. */
  constructor(capacity = 0) {
    this.words = new Uint32Array((capacity + 31) >>> 5);
  }

  static of(ordinals: Iterable<number>): Bitset {
    const bitset = new Bitset();
    for (const ordinal of ordinals) bitset.set(ordinal);
    return bitset;
  }

  /** Counts the members of the union without building it; no set changes. */
  static unionCount(sets: readonly Bitset[]): number {
    const [first, second, ...rest] = sets.toSorted((x, y) => y.words.length - x.words.length);
    if (!first) return 0;
    if (rest.length > 2) return Bitset.unionCount([first.clone().or(second ?? first), ...rest]);
    const [third = first, fourth = first] = rest;
    return countOfFour(first.words, (second ?? first).words, third.words, fourth.words);
  }

  set(ordinal: number): void {
    const index = ordinal >>> 5;
    if (index >= this.words.length) this.grow(Math.max(index + 1, this.words.length * 2));
    this.words[index] = (this.words[index] ?? 0) | (1 << (ordinal & 31));
  }

  clear(ordinal: number): void {
    const index = ordinal >>> 5;
    if (index < this.words.length) {
      this.words[index] = (this.words[index] ?? 0) & ~(1 << (ordinal & 31));
    }
  }

  has(ordinal: number): boolean {
    return ((this.words[ordinal >>> 5] ?? 0) & (1 << (ordinal & 31))) !== 0;
  }

  and(other: Bitset): this {
    const { words } = this;
    const shared = Math.min(words.length, other.words.length);
    for (let i = 0; i < shared; i += 1) words[i] = (words[i] ?? 0) & (other.words[i] ?? 0);
    words.fill(0, shared);
    return this;
  }

  or(other: Bitset): this {
    if (other.words.length > this.words.length) this.grow(other.words.length);
    const { words } = this;
    const { length } = other.words;
    for (let i = 0; i < length; i += 1) words[i] = (words[i] ?? 0) | (other.words[i] ?? 0);
    return this;
  }

  andNot(other: Bitset): this {
    const { words } = this;
    const shared = Math.min(words.length, other.words.length);
    for (let i = 0; i < shared; i += 1) words[i] = (words[i] ?? 0) & ~(other.words[i] ?? 0);
    return this;
  }

  isEmpty(): boolean {
    const { words } = this;
    for (let i = 0; i < words.length; i += 1) if (words[i] !== 0) return false;
    return true;
  }

  intersects(other: Bitset): boolean {
    const shared = Math.min(this.words.length, other.words.length);
    for (let i = 0; i < shared; i += 1) {
      if (((this.words[i] ?? 0) & (other.words[i] ?? 0)) !== 0) return true;
    }
    return false;
  }

  equals(other: Bitset): boolean {
    const length = Math.max(this.words.length, other.words.length);
    for (let i = 0; i < length; i += 1) {
      if ((this.words[i] ?? 0) !== (other.words[i] ?? 0)) return false;
    }
    return true;
  }

  /** The number of members. */
  popcount(): number {
    const { words } = this;
    let total = 0;
    for (let i = 0; i < words.length; i += 1) total += bitsIn(words[i] ?? 0);
    return total;
  }

  clone(): Bitset {
    const copy = new Bitset();
    copy.words = this.words.slice();
    return copy;
  }

  /** Calls `visit` with every member, ascending; several times faster than iterating. */
  forEach(visit: (ordinal: number) => void): void {
    const { words } = this;
    for (let i = 0; i < words.length; i += 1) {
      for (let rest = words[i] ?? 0; rest !== 0; rest &= rest - 1) {
        visit((i << 5) + lowestBit(rest));
      }
    }
  }

  /** All members, ascending. */
  ordinals(): Int32Array {
    const { words } = this;
    const ordinals = new Int32Array(this.popcount());
    let length = 0;
    for (let i = 0; i < words.length; i += 1) {
      for (let rest = words[i] ?? 0; rest !== 0; rest &= rest - 1) {
        ordinals[length] = (i << 5) + lowestBit(rest);
        length += 1;
      }
    }
    return ordinals;
  }

  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (let i = 0; i < this.words.length; i += 1) {
      for (let rest = this.words[i] ?? 0; rest !== 0; rest &= rest - 1) {
        yield (i << 5) + lowestBit(rest);
      }
    }
  }

  private grow(length: number): void {
    const grown = new Uint32Array(length);
    grown.set(this.words);
    this.words = grown;
  }
}

/** Counts the bits of the union; the first array must be the longest. */
function countOfFour(a: Uint32Array, b: Uint32Array, c: Uint32Array, d: Uint32Array): number {
  let total = 0;
  for (let i = 0; i < a.length; i += 1) {
    total += bitsIn((a[i] ?? 0) | (b[i] ?? 0) | (c[i] ?? 0) | (d[i] ?? 0));
  }
  return total;
}

const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

/** Adds up neighbouring fields of 1, 2 and 4 bits; the multiplication sums the four bytes. */
function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
