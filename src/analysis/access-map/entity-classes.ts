import { Bitset } from '../../policy/index.js';
import { eachSliced } from '../slices.js';
import type { Sliced } from '../slices.js';
import { changeOf } from './map-scope.js';
import type { MapChange, MapKind, MapScope } from './map-scope.js';
import { Partition } from './partition.js';
import type { Classes } from './partition.js';
import type { OrdinalsByChange, SideMembers } from './side-members.js';

/** The entities of a kind in classes: those of a class are in the same policies, in both states. */
export class EntityClasses {
  private constructor(
    readonly kind: MapKind,
    private readonly classes: Classes,
    /** The number of entities in all classes. */
    readonly entityCount: number,
    private readonly gained: Bitset,
    private readonly lost: Bitset,
    /** The entities that are in other policies afterwards, or in one state only. */
    private readonly changed: Bitset,
  ) {}

  static *of(scope: MapScope, kind: MapKind, members: SideMembers): Sliced<EntityClasses> {
    const all = members.all(kind);
    const universe = joined(all.values());
    const partition = new Partition(universe, scope.bound(kind));
    const changed = new Bitset();
    const splitBy = (byChange: OrdinalsByChange): void => {
      for (const [change, ordinals] of byChange) {
        partition.split(ordinals);
        if (change !== 'KEPT') for (const ordinal of ordinals) changed.set(ordinal);
      }
    };
    splitBy(all);
    yield* eachSliced(scope.sidesOf(kind), 1, (side) => {
      splitBy(members.of(side));
    });
    const gained = Bitset.of(all.get('GAINED') ?? []);
    const lost = Bitset.of(all.get('LOST') ?? []);
    const classes = partition.classes();
    return new EntityClasses(kind, classes, universe.length, gained, lost, changed);
  }

  get count(): number {
    return this.classes.sizes.length;
  }

  /** The class of each ordinal; -1 outside the map. */
  get classOf(): Int32Array {
    return this.classes.classOf;
  }

  /** An ordinal of each class. */
  get representatives(): Int32Array {
    return this.classes.representatives;
  }

  sizeOf(number: number): number {
    return this.classes.sizes[number] ?? 0;
  }

  changeOf(number: number): MapChange {
    const ordinal = this.representatives[number] ?? 0;
    return changeOf(!this.gained.has(ordinal), !this.lost.has(ordinal));
  }

  /** The classes whose entities are in other policies afterwards, or in one state only. */
  changedClasses(): Set<number> {
    const numbers = new Set<number>();
    this.changed.forEach((ordinal) => numbers.add(this.classOf[ordinal] ?? 0));
    return numbers;
  }
}

function joined(lists: Iterable<Int32Array>): Int32Array {
  const all = [...lists];
  const whole = new Int32Array(all.reduce((sum, { length }) => sum + length, 0));
  let start = 0;
  for (const list of all) {
    whole.set(list, start);
    start += list.length;
  }
  return whole;
}
