import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { NumberLists } from './number-lists.js';
import type { RoleSets } from './role-sets.js';

/** The cell of entities that are in no set of the group. */
const NONE = 0;

/**
 * The finest cells of a kind: a cell has the entities that are in the same sets of a group. An
 * entity is in at most one cell of each group.
 */
export class FinestCells {
  private constructor(
    /** A number above all cells, some of which have no members. */
    readonly bound: number,
    /** By set: the cells with members that are in it. */
    readonly inSet: NumberLists,
    private readonly division: Division,
  ) {}

  static *of(sets: RoleSets, bound: number): Sliced<FinestCells> {
    const division = new Division(sets.members, bound);
    for (const group of sets.groups()) {
      yield* eachSliced(group, 4, (set) => {
        division.divideBy(set);
      });
      division.endGroup();
      yield;
    }
    return new FinestCells(division.cellCount, division.cellsInSets(), division);
  }

  isIn(cell: number, set: number): boolean {
    return this.division.isIn(cell, set);
  }

  /** Lists the entities by what `mergedCells` has for their cells, below `count`; negative: nowhere. */
  merged(mergedCells: Int32Array, count: number): NumberLists {
    return this.division.members(mergedCells, count);
  }
}

const NO_SET = -1;

/** Divides entities by one set after the other. */
class Division {
  /** By ordinal: the cell in the present group. */
  readonly #cellOf: Int32Array;
  /** The entities that are in a set of the present group. */
  readonly #touched: Int32Array;
  #touchedCount = 0;
  /** By cell: the cell that was divided, and the set that it was divided by. */
  readonly #parents = [NONE];
  readonly #sets = [NO_SET];
  /** By cell: the cell that takes its members during a division, and the set that divides. */
  readonly #targets = [NONE];
  readonly #targetSets = [NO_SET];
  /** The cells of entities, and these entities, once for each group with the entity. */
  readonly #cells: Int32Array;
  readonly #ordinals: Int32Array;
  #length = 0;

  constructor(
    private readonly sets: readonly Int32Array[],
    bound: number,
  ) {
    const most = sets.reduce((sum, { length }) => sum + length, 0);
    this.#cells = new Int32Array(most);
    this.#ordinals = new Int32Array(most);
    this.#cellOf = new Int32Array(bound);
    this.#touched = new Int32Array(bound);
  }

  divideBy(set: number): void {
    const cellOf = this.#cellOf;
    const targets = this.#targets;
    const targetSets = this.#targetSets;
    const ordinals = this.sets[set] ?? [];
    for (let i = 0; i < ordinals.length; i += 1) {
      const ordinal = ordinals[i] ?? 0;
      const from = cellOf[ordinal] ?? NONE;
      if (from === NONE) {
        this.#touched[this.#touchedCount] = ordinal;
        this.#touchedCount += 1;
      }
      if (targetSets[from] !== set) {
        targetSets[from] = set;
        targets[from] = this.#newCell(from, set);
      }
      cellOf[ordinal] = targets[from] ?? NONE;
    }
  }

  endGroup(): void {
    for (let i = 0; i < this.#touchedCount; i += 1) {
      const ordinal = this.#touched[i] ?? 0;
      this.#cells[this.#length + i] = this.#cellOf[ordinal] ?? NONE;
      this.#ordinals[this.#length + i] = ordinal;
      this.#cellOf[ordinal] = NONE;
    }
    this.#length += this.#touchedCount;
    this.#touchedCount = 0;
  }

  get cellCount(): number {
    return this.#parents.length;
  }

  isIn(cell: number, set: number): boolean {
    for (let from = cell; from !== NONE; from = this.#parents[from] ?? NONE) {
      if (this.#sets[from] === set) return true;
    }
    return false;
  }

  /** By set: the cells with members that are in it. */
  cellsInSets(): NumberLists {
    const sets: number[] = [];
    const cells: number[] = [];
    const isListed = new Uint8Array(this.cellCount);
    for (let i = 0; i < this.#length; i += 1) {
      const cell = this.#cells[i] ?? NONE;
      if (isListed[cell] === 1) continue;
      isListed[cell] = 1;
      for (let from = cell; from !== NONE; from = this.#parents[from] ?? NONE) {
        sets.push(this.#sets[from] ?? 0);
        cells.push(cell);
      }
    }
    return NumberLists.grouped(sets, this.sets.length, cells);
  }

  members(mergedCells: Int32Array, count: number): NumberLists {
    const keys = this.#cells.slice(0, this.#length);
    for (let i = 0; i < keys.length; i += 1) keys[i] = mergedCells[keys[i] ?? NONE] ?? -1;
    return NumberLists.grouped(keys, count, this.#ordinals);
  }

  #newCell(parent: number, set: number): number {
    this.#targets.push(NONE);
    this.#targetSets.push(NO_SET);
    this.#sets.push(set);
    return this.#parents.push(parent) - 1;
  }
}
