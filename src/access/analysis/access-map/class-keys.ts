import type { IndexedPolicy } from '../../../kernel/policy/index.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { EntityClasses } from './entity-classes.js';
import { Fingerprints, keyFrom, fingerprintOf, sumOf } from './fingerprints.js';
import type { Fingerprint } from './fingerprints.js';
import type { MapPolicy, MapState } from './map-scope.js';

/** A policy never changes; another one comes in its place. */
const fingerprints = new WeakMap<IndexedPolicy, Fingerprint>();

function policyFingerprint({ kind, type, id, before, after }: MapPolicy): Fingerprint {
  const policy = after ?? before;
  const cached = policy && fingerprints.get(policy);
  if (cached) return cached;
  const fingerprint = fingerprintOf(kind, type ?? '', id);
  if (policy) fingerprints.set(policy, fingerprint);
  return fingerprint;
}

/**
 * The keys of classes. The key of a class depends on the policies of its entities alone, before and
 * after the changes. Without changes both are the same, so that an unchanged class has the same key
 * in every map.
 */
export class ClassKeys {
  private constructor(
    private readonly classes: EntityClasses,
    private readonly before: Fingerprints,
    private readonly after: Fingerprints,
  ) {}

  static *of(classes: EntityClasses): Sliced<ClassKeys> {
    const after = yield* fingerprintsIn(classes, 'after');
    const before = classes.scope.isPair ? yield* fingerprintsIn(classes, 'before') : after;
    return new ClassKeys(classes, before, after);
  }

  keyOf(number: number): string {
    const { kind } = this.classes;
    const change = this.classes.changeOf(number);
    return keyFrom(kind, change, this.before.text(number), this.after.text(number));
  }

  /** Gives the class with the key. */
  *classWith(key: string): Sliced<number | undefined> {
    for (let number = 0; number < this.classes.count; number += 1) {
      if (this.keyOf(number) === key) return number;
      if (number % 256 === 255) yield;
    }
    return undefined;
  }
}

/** Gives the fingerprints of the policies of each class: those of its cells. */
function* fingerprintsIn(classes: EntityClasses, state: MapState): Sliced<Fingerprints> {
  const { scope } = classes;
  const lists = classes.classesOfCells(state);
  const ofCells = new Fingerprints(lists.count);
  yield* eachSliced(scope.sidesOf(classes.kind), 16, (side) => {
    const policies = side.positions.flatMap((position) => scope.policies[position] ?? []);
    ofCells.add(classes.cellsOf(side, state), sumOf(policies.map(policyFingerprint)));
  });
  const ofClasses = new Fingerprints(classes.count);
  for (let cell = 0; cell < lists.count; cell += 1) {
    ofClasses.add(lists.at(cell), ofCells.at(cell));
    if (cell % 64 === 63) yield;
  }
  return ofClasses;
}
