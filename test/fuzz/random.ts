import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

type Weighted<T> = readonly (readonly [weight: number, value: T])[];

/** Makes seeds of neighbouring requests differ in all their bits. */
const GOLDEN_RATIO = 0x9e3779b1;

/** Choices that a seed decides, so that the same seed makes the same request again. */
export class Random {
  readonly #source;

  constructor(seed: number, index = 0) {
    this.#source = xoroshiro128plus(Math.imul(index + 1, GOLDEN_RATIO) ^ seed);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return uniformInt(this.#source, least, most);
  }

  /** True in so many of a hundred cases. */
  chance(percent: number): boolean {
    return this.between(0, 99) < percent;
  }

  pick<T>(values: readonly T[]): T {
    if (values.length === 0) throw new Error('there is nothing to choose from');
    return values[this.between(0, values.length - 1)] as T;
  }

  weighted<T>(values: Weighted<T>): T {
    const total = values.reduce((sum, [weight]) => sum + weight, 0);
    let at = this.between(0, total - 1);
    for (const [weight, value] of values) {
      if (at < weight) return value;
      at -= weight;
    }
    throw new Error('all weights are zero');
  }

  /** What one of them makes. */
  made<T>(makers: Weighted<() => T>): T {
    return this.weighted(makers)();
  }

  /** Each of the values in so many of a hundred cases, in their order. */
  some<T>(values: readonly T[], percent: number): T[] {
    return values.filter(() => this.chance(percent));
  }

  /** A list of so many made values. */
  list<T>(least: number, most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.between(least, most) }, (_, i) => make(i));
  }
}
