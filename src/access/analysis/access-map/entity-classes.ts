import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { changeOf, sideIn } from './map-scope.js';
import type {
  DistinctSide,
  MapChange,
  MapKind,
  MapScope,
  MapState,
  StateSets,
} from './map-scope.js';
import type { NumberLists } from './number-lists.js';
import { Partition } from './partition.js';
import type { Classes } from './partition.js';
import { RoleCells } from './role-cells.js';
import type { RoleHolders } from './role-holders.js';

/** Numbers of classes, by the states in which their entities are in something. */
export type ClassesByChange = ReadonlyMap<MapChange, Int32Array>;

/** The entities of a kind in one state. */
interface StateOfKind {
  readonly holders: RoleHolders;
  readonly cells: RoleCells;
}

/** By cell: its classes. */
type CellClasses = Readonly<Record<MapState, NumberLists>>;

/**
 * The entities of a kind in classes: those of a class are in the same policies, in both states. A
 * side has all entities of a class or none, so that a map is made of classes alone.
 */
export class EntityClasses {
  /** By class: the states of the lists that are compared. */
  readonly #marks: Uint8Array;

  private constructor(
    readonly scope: MapScope,
    readonly kind: MapKind,
    private readonly classes: Classes,
    private readonly entities: StateSets,
    private readonly states: Readonly<Record<MapState, StateOfKind>>,
    private readonly cellClasses: CellClasses,
  ) {
    this.#marks = new Uint8Array(classes.sizes.length);
  }

  static *of(scope: MapScope, kind: MapKind): Sliced<EntityClasses> {
    const entities = scope.entities(kind);
    const after = yield* stateOf(scope, kind, 'after');
    const before = scope.isPair ? yield* stateOf(scope, kind, 'before') : after;
    const states = { before, after };
    const classes = yield* classesOf(states, entities, scope.bound(kind));
    yield;
    const cellClasses = classesOfCells(states, classes);
    return new EntityClasses(scope, kind, classes, entities, states, cellClasses);
  }

  get count(): number {
    return this.classes.sizes.length;
  }

  /** The number of entities in all classes. */
  get entityCount(): number {
    return this.sizes.reduce((sum, size) => sum + size, 0);
  }

  /** The class of each ordinal; -1 outside the map. */
  get classOf(): Int32Array {
    return this.classes.classOf;
  }

  /** The number of entities in each class. */
  get sizes(): Int32Array {
    return this.classes.sizes;
  }

  sizeOf(number: number): number {
    return this.sizes[number] ?? 0;
  }

  changeOf(number: number): MapChange {
    const { before, after } = this.entities;
    if (before === after) return 'KEPT';
    const ordinal = this.classes.representatives[number] ?? 0;
    return changeOf(before.has(ordinal), after.has(ordinal));
  }

  /** The classes whose entities are in other policies afterwards, or in one state only. */
  *changedClasses(): Sliced<Set<number>> {
    const changed = new Set<number>();
    if (!this.scope.isPair) return changed;
    for (let number = 0; number < this.count; number += 1) {
      if (this.changeOf(number) !== 'KEPT') changed.add(number);
    }
    yield* eachSliced(this.scope.sidesOf(this.kind), 8, (side) => {
      if (this.isKept(side)) return;
      for (const [change, numbers] of this.inSide(side)) {
        if (change !== 'KEPT') for (const number of numbers) changed.add(number);
      }
    });
    return changed;
  }

  /** Gives the classes in a side. */
  inSide(side: DistinctSide): ClassesByChange {
    const after = this.classesIn(side, 'after');
    if (this.isKept(side)) return new Map([['KEPT', after]]);
    return this.compared(this.classesIn(side, 'before'), after);
  }

  /** Counts the entities in a side. */
  countsIn(side: DistinctSide): ReadonlyMap<MapChange, number> {
    if (this.isKept(side)) {
      const { members } = this.states.after.cells;
      const cells = this.cellsOf(side, 'after');
      return new Map([['KEPT', cells.reduce((sum, cell) => sum + members.sizeOf(cell), 0)]]);
    }
    const sizeOf = (numbers: Int32Array): number =>
      numbers.reduce((sum, number) => sum + this.sizeOf(number), 0);
    return new Map([...this.inSide(side)].map(([change, numbers]) => [change, sizeOf(numbers)]));
  }

  /** Whether a side certainly has the same entities in both states. */
  isKept({ policy: { before, after } }: DistinctSide): boolean {
    return before === after && this.scope.hasSameEntities(this.kind);
  }

  /** Gives the cells of a side. They have no class in common. */
  cellsOf({ number }: DistinctSide, state: MapState): Int32Array {
    return this.states[state].cells.of(number);
  }

  /** Gives the classes of each cell. */
  classesOfCells(state: MapState): NumberLists {
    return this.cellClasses[state];
  }

  /** The entities that hold an attribute in the later state in which they exist. */
  holders(attribute: string): Int32Array {
    const { before, after } = this.states;
    const holders = after.holders.of(attribute);
    if (!this.scope.isPair) return holders;
    const gone = before.holders
      .of(attribute)
      .filter((ordinal) => !this.entities.after.has(ordinal));
    return joined([holders, gone]);
  }

  private classesIn(side: DistinctSide, state: MapState): Int32Array {
    const lists = this.cellClasses[state];
    return joined(Array.from(this.cellsOf(side, state), (cell) => lists.at(cell)));
  }

  private compared(before: Int32Array, after: Int32Array): ClassesByChange {
    const marks = this.#marks;
    for (const number of before) marks[number] = IS_BEFORE;
    const gained: number[] = [];
    for (const number of after) {
      if (marks[number] === IS_BEFORE) marks[number] = IS_IN_BOTH;
      else gained.push(number);
    }
    const kept = before.filter((number) => marks[number] === IS_IN_BOTH);
    const lost = before.filter((number) => marks[number] === IS_BEFORE);
    for (const number of before) marks[number] = 0;
    return new Map([
      ['KEPT', kept],
      ['GAINED', Int32Array.from(gained)],
      ['LOST', lost],
    ]);
  }
}

const IS_BEFORE = 1;
const IS_IN_BOTH = 2;

function* stateOf(scope: MapScope, kind: MapKind, state: MapState): Sliced<StateOfKind> {
  const holders = scope.holders(kind, state);
  const sides = scope.sidesOf(kind).map(({ policy }) => sideIn(policy, kind, state));
  yield;
  return { holders, cells: yield* RoleCells.of(holders, sides, scope.bound(kind)) };
}

/** Two entities are in the same class if they are in the same cells, in both states. */
function* classesOf(
  { before, after }: Readonly<Record<MapState, StateOfKind>>,
  entities: StateSets,
  bound: number,
): Sliced<Classes> {
  const isPair = entities.before !== entities.after;
  const universe = isPair
    ? entities.before.clone().or(entities.after).ordinals()
    : after.holders.all;
  const partition = new Partition(universe, bound);
  for (const { holders, cells } of new Set([before, after])) {
    if (isPair) partition.split(holders.all);
    yield;
    for (let cell = 0; cell < cells.members.count; cell += 1) {
      partition.split(cells.members.at(cell));
      if (cell % 8 === 7) yield;
    }
  }
  return partition.classes();
}

function classesOfCells(
  { before, after }: Readonly<Record<MapState, StateOfKind>>,
  { classOf, representatives }: Classes,
): CellClasses {
  const classAt = new Int32Array(classOf.length).fill(-1);
  for (const [number, ordinal] of representatives.entries()) classAt[ordinal] = number;
  const ofAfter = after.cells.members.replaced(classAt);
  return {
    before: before === after ? ofAfter : before.cells.members.replaced(classAt),
    after: ofAfter,
  };
}

function joined(lists: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const list of lists) {
    whole.set(list, start);
    start += list.length;
  }
  return whole;
}
