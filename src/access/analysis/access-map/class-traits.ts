import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import { Bitset } from '../../../kernel/policy/index.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { EntityClasses } from './entity-classes.js';

/** Attributes that policies name, and the classes whose entities all hold them. */
export interface CommonAttributes {
  /** In byte order. */
  readonly names: readonly string[];
  /** By the position of the name: numbers of classes. */
  readonly classesWith: readonly Int32Array[];
}

export function* commonAttributes(classes: EntityClasses): Sliced<CommonAttributes> {
  const { scope, kind, classOf } = classes;
  const sides = scope.sidesOf(kind);
  const names = byteSorted(new Set(sides.flatMap(({ attributes }) => attributes)));
  yield;
  const counts = new Int32Array(classes.count);
  const classesWith: Int32Array[] = [];
  yield* eachSliced(names, 4, (name) => {
    const touched: number[] = [];
    const ordinals = classes.holders(name);
    for (let i = 0; i < ordinals.length; i += 1) {
      const number = classOf[ordinals[i] ?? 0] ?? 0;
      const count = counts[number] ?? 0;
      if (count === 0) touched.push(number);
      counts[number] = count + 1;
    }
    const common = touched.filter((number) => counts[number] === classes.sizeOf(number));
    for (const number of touched) counts[number] = 0;
    classesWith.push(new Int32Array(common));
  });
  return { names, classesWith };
}

/** Gives the first ids in byte order of some classes. */
export function* firstIds(
  { scope, kind, classOf, count }: EntityClasses,
  numbers: readonly number[],
): Sliced<ReadonlyMap<number, string>> {
  const isWanted = new Uint8Array(count);
  for (const number of numbers) isWanted[number] = 1;
  const members = new Bitset();
  for (let ordinal = 0; ordinal < classOf.length; ordinal += 1) {
    if (isWanted[classOf[ordinal] ?? -1] === 1) members.set(ordinal);
  }
  yield;
  const first = new Map<number, string>();
  yield* eachSliced(scope.idsAt(kind, members), 512, (id) => {
    const number = classOf[scope.ordinalOf(kind, id) ?? -1] ?? -1;
    const firstId = first.get(number);
    if (firstId === undefined || compareBytes(id, firstId) < 0) first.set(number, id);
  });
  return first;
}
