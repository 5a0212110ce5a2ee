/** The classes of a partition, numbered from 0 in the order of their first ordinals. */
export interface Classes {
  /** The class of each ordinal; -1 outside the partition. */
  readonly classOf: Int32Array;
  readonly sizes: Int32Array;
  /** The first ordinal of each class. */
  readonly representatives: Int32Array;
}

const NONE = -1;

/**
 * Ordinals in classes: two are in the same class if every list of `split` contained both or neither.
 * A split takes as many steps as the list is long, whatever the number of classes.
 */
export class Partition {
  readonly #classOf: Int32Array;
  readonly #sizes: Int32Array;
  /** The class that takes the members of a class during a split. */
  readonly #targets: Int32Array;
  /** Numbers of classes that became empty. */
  readonly #free: number[] = [];
  #count = 0;

  constructor(universe: Int32Array, bound: number) {
    // During a split, each class may have an emptied one beside it.
    const most = 2 * universe.length + 1;
    this.#classOf = new Int32Array(bound).fill(NONE);
    this.#sizes = new Int32Array(most);
    this.#targets = new Int32Array(most).fill(NONE);
    const whole = this.#newClass();
    for (const ordinal of universe) this.#classOf[ordinal] = whole;
    this.#sizes[whole] = universe.length;
  }

  /** Separates the ordinals in the list from the others in each class. */
  split(ordinals: Int32Array): void {
    const touched: number[] = [];
    for (const ordinal of ordinals) {
      const from = this.#classOf[ordinal] ?? NONE;
      // A class of one can not be divided.
      if (from === NONE || (this.#targets[from] === NONE && this.#sizes[from] === 1)) continue;
      this.#move(ordinal, from, this.#targetOf(from, touched));
    }
    for (const number of touched) {
      this.#targets[number] = NONE;
      if (this.#sizes[number] === 0) this.#free.push(number);
    }
  }

  classes(): Classes {
    const numbers = new Int32Array(this.#count).fill(NONE);
    const classOf = new Int32Array(this.#classOf.length).fill(NONE);
    const representatives: number[] = [];
    const sizes: number[] = [];
    for (let ordinal = 0; ordinal < classOf.length; ordinal += 1) {
      const from = this.#classOf[ordinal] ?? NONE;
      if (from === NONE) continue;
      if (numbers[from] === NONE) {
        numbers[from] = representatives.length;
        representatives.push(ordinal);
        sizes.push(this.#sizes[from] ?? 0);
      }
      classOf[ordinal] = numbers[from] ?? NONE;
    }
    return {
      classOf,
      sizes: Int32Array.from(sizes),
      representatives: Int32Array.from(representatives),
    };
  }

  #targetOf(from: number, touched: number[]): number {
    const existing = this.#targets[from] ?? NONE;
    if (existing !== NONE) return existing;
    const target = this.#newClass();
    this.#targets[from] = target;
    touched.push(from);
    return target;
  }

  #move(ordinal: number, from: number, to: number): void {
    const sizes = this.#sizes;
    this.#classOf[ordinal] = to;
    sizes[from] = (sizes[from] ?? 0) - 1;
    sizes[to] = (sizes[to] ?? 0) + 1;
  }

  #newClass(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#count += 1;
    return this.#count - 1;
  }
}
