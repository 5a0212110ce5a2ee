import { Bitset } from '../../../kernel/policy/index.js';

/** Counts for each ordinal by how many sets it is covered. */
export class CoverCounts {
  private readonly counts: Uint32Array;

  constructor(bound: number) {
    this.counts = new Uint32Array(bound);
  }

  has(ordinal: number): boolean {
    return this.countOf(ordinal) > 0;
  }

  addOne(ordinal: number): void {
    this.counts[ordinal] = this.countOf(ordinal) + 1;
  }

  add(set: Bitset): void {
    set.forEach((ordinal) => {
      this.addOne(ordinal);
    });
  }

  /** Removes a set that was added. */
  remove(set: Bitset): void {
    set.forEach((ordinal) => {
      this.counts[ordinal] = this.countOf(ordinal) - 1;
    });
  }

  /** The members of an added set that no other set covers. */
  exclusive(set: Bitset): Bitset {
    const exclusive = new Bitset();
    set.forEach((ordinal) => {
      if (this.countOf(ordinal) === 1) exclusive.set(ordinal);
    });
    return exclusive;
  }

  /** The members of all sets. */
  covered(): Bitset {
    const covered = new Bitset(this.counts.length);
    this.counts.forEach((count, ordinal) => {
      if (count > 0) covered.set(ordinal);
    });
    return covered;
  }

  covers(set: Bitset): boolean {
    let isCovered = true;
    set.forEach((ordinal) => {
      isCovered &&= this.has(ordinal);
    });
    return isCovered;
  }

  private countOf(ordinal: number): number {
    return this.counts[ordinal] ?? 0;
  }
}
