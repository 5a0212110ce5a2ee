import type { MembershipSide } from '../../../kernel/policy/index.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { FinestCells } from './finest-cells.js';
import type { NumberLists } from './number-lists.js';
import { Partition } from './partition.js';
import type { RoleHolders } from './role-holders.js';
import { RoleSets } from './role-sets.js';

/**
 * The entities of a kind in one state as cells: each side is a union of cells, and the cells of a
 * side have no entity in common. There are few cells, because an attribute divides no more than the
 * attributes that policies name with it: 50 teams and 900 units are 950 cells, however many entities
 * there are.
 */
export class RoleCells {
  private constructor(
    private readonly sides: SidesOfCells,
    /** By finest cell. */
    private readonly cellOf: Int32Array,
    /** By cell: its entities. */
    readonly members: NumberLists,
  ) {}

  /** The bound is above all ordinals. */
  static *of(
    holders: RoleHolders,
    memberships: readonly (MembershipSide | undefined)[],
    bound: number,
  ): Sliced<RoleCells> {
    const sets = yield* RoleSets.of(holders, memberships);
    const finest = yield* FinestCells.of(sets, bound);
    yield;
    const sides = new SidesOfCells(sets, finest);
    const { cellOf, count } = yield* mergedCells(sides);
    yield;
    return new RoleCells(sides, cellOf, finest.merged(cellOf, count));
  }

  /** Gives the cells of a side by its number, each once. */
  of(side: number): Int32Array {
    return this.sides.of(side, this.cellOf);
  }
}

/** Merges the finest cells that are in the same sides, and leaves out those that are in none. */
function* mergedCells(
  sides: SidesOfCells,
): Sliced<{ readonly cellOf: Int32Array; readonly count: number }> {
  const finest = Int32Array.from({ length: sides.bound }, (_, cell) => cell);
  const partition = new Partition(finest, sides.bound);
  const isInSide = new Uint8Array(sides.bound);
  yield* eachSliced(sides.numbers(), 4, (side) => {
    const cells = sides.of(side, finest);
    for (let i = 0; i < cells.length; i += 1) isInSide[cells[i] ?? 0] = 1;
    partition.split(cells);
  });
  const { classOf, representatives } = partition.classes();
  yield;
  let count = 0;
  const numbers = representatives.map((cell) => (isInSide[cell] === 1 ? count++ : NOWHERE));
  return { cellOf: classOf.map((number) => numbers[number] ?? NOWHERE), count };
}

const NOWHERE = -1;

/** Lists the cells of sides. */
class SidesOfCells {
  /** By cell: the number of the last list that it is in. */
  readonly #marks: Int32Array;
  readonly #buffer: Int32Array;
  #listNumber = 0;

  constructor(
    private readonly sets: RoleSets,
    private readonly finest: FinestCells,
  ) {
    this.#marks = new Int32Array(finest.bound);
    this.#buffer = new Int32Array(finest.bound);
  }

  get bound(): number {
    return this.finest.bound;
  }

  numbers(): Iterable<number> {
    return this.sets.selections.keys();
  }

  /** Gives what `cellOf` has for the finest cells of a side, each once. */
  of(side: number, cellOf: Int32Array): Int32Array {
    const { some = [], every: [first, ...others] = [] } = this.sets.selections[side] ?? {};
    this.#listNumber += 1;
    let length = 0;
    for (const set of some) length = this.#add(length, this.finest.inSet.at(set), cellOf);
    if (first !== undefined) {
      const common = this.finest.inSet
        .at(first)
        .filter((cell) => others.every((set) => this.finest.isIn(cell, set)));
      length = this.#add(length, common, cellOf);
    }
    return this.#buffer.slice(0, length);
  }

  #add(length: number, cells: Int32Array, cellOf: Int32Array): number {
    const marks = this.#marks;
    const number = this.#listNumber;
    let end = length;
    for (let i = 0; i < cells.length; i += 1) {
      const cell = cellOf[cells[i] ?? 0] ?? 0;
      if (marks[cell] === number) continue;
      marks[cell] = number;
      this.#buffer[end] = cell;
      end += 1;
    }
    return end;
  }
}
