import { byteSorted } from '../../../base/byte-order.js';
import type { ClassLayout } from './class-layout.js';
import type { EntityClasses } from './entity-classes.js';
import { leading } from './leading.js';
import { changeOfPolicy, MAP_KINDS } from './map-scope.js';
import type { DistinctSide, MapKind, MapScope } from './map-scope.js';
import { alone, nodesOf } from './node-items.js';
import type { NodeItems } from './node-items.js';
import { NodeCounts } from './node-counts.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/**
 * Divides the policies of a scope into at most `budget` nodes. Policies that join the same nodes in
 * the same way are merged first.
 */
export function* policyLayout(
  scope: MapScope,
  classes: ReadonlyMap<MapKind, ClassLayout>,
  budget: number,
): Sliced<NodeItems[]> {
  const { policies } = scope;
  if (policies.length <= budget) {
    return policies.map((_, position) => alone(position));
  }
  const twins = yield* twinsOf(scope, yield* sidePatterns(scope, classes));
  const numbers = twins.map((_, number) => number);
  if (twins.length <= budget) return numbers.map((number) => nodeOf(twins, [number], undefined));
  const { names, itemsWith } = yield* namedBy(scope, twins);
  const labels = byteSorted(new Set(twins.map(({ label }) => label)));
  const numberOfLabel = new Map(labels.map((label, number) => [label, number]));
  const mergeables = {
    weights: twins.map(({ positions }) => positions.length),
    labels: twins.map(({ label }) => numberOfLabel.get(label) ?? 0),
    itemsWith,
  };
  const first = leading(numbers, budget, precedence(twins));
  const merged = yield* nodesOf(mergeables, names, first, budget);
  return merged.map(({ items, roleAttribute }) => nodeOf(twins, items, roleAttribute));
}

const nodeOf = (
  twins: readonly Twins[],
  groups: readonly number[],
  roleAttribute: string | undefined,
): NodeItems => ({
  items: groups.flatMap((group) => twins[group]?.positions ?? []).sort((a, b) => a - b),
  roleAttribute,
});

/** How a side of a policy joins nodes. */
interface SidePattern {
  /** Equal for sides that join the same nodes, all or some of their members, with the same change. */
  readonly text: string;
  readonly memberCount: number;
  readonly isChanged: boolean;
}

/** The patterns of each policy, by its position. */
type Patterns = readonly (readonly SidePattern[])[];

function* sidePatterns(
  scope: MapScope,
  classes: ReadonlyMap<MapKind, ClassLayout>,
): Sliced<Patterns> {
  const patterns: SidePattern[][] = scope.policies.map(() => []);
  for (const kind of MAP_KINDS) {
    const layout = classes.get(kind);
    if (!layout) continue;
    const counts = new NodeCounts(layout);
    yield* eachSliced(scope.sidesOf(kind), 4, (side) => {
      const pattern = patternOf(counts, layout.classes, side);
      for (const position of side.positions) patterns[position]?.push(pattern);
    });
  }
  return patterns;
}

/** Sides with more members are compared by their roles alone: others rarely join the same nodes. */
const LARGE = 1_000;

function patternOf(counts: NodeCounts, classes: EntityClasses, side: DistinctSide): SidePattern {
  const parts: (string | number)[] = [];
  let memberCount = 0;
  let isChanged = false;
  for (const [change, count] of classes.countsIn(side)) {
    if (count === 0) continue;
    memberCount += count;
    isChanged ||= change !== 'KEPT';
    const numbers = count > LARGE ? undefined : classes.inSide(side).get(change);
    parts.push(change, numbers ? counts.patternOf(numbers) : side.number);
  }
  return { text: JSON.stringify(parts), memberCount, isChanged };
}

/** Policies that join the same nodes in the same way. */
interface Twins {
  readonly positions: number[];
  readonly label: string;
  readonly isChanged: boolean;
  /** The number of pairs that the policies join. */
  pairCount: number;
}

/** Gives the groups in the order of their first policies. */
function* twinsOf(scope: MapScope, patterns: Patterns): Sliced<Twins[]> {
  const groups = new Map<string, Twins>();
  let position = 0;
  yield* eachSliced(scope.policies, 64, (policy) => {
    const sides = patterns[position] ?? [];
    const label = [policy.kind, policy.type, changeOfPolicy(policy)].join(' ');
    const key = [label, ...sides.map(({ text }) => text)].join(' ');
    const pairCount = sides.reduce((product, { memberCount }) => product * memberCount, 1);
    const group = groups.get(key);
    if (group) {
      group.positions.push(position);
      group.pairCount += pairCount;
    } else {
      const isChanged = changeOfPolicy(policy) !== 'KEPT' || sides.some((side) => side.isChanged);
      groups.set(key, { positions: [position], label, isChanged, pairCount });
    }
    position += 1;
  });
  return [...groups.values()];
}

/** Attributes in byte order, and the twins of which all policies name them. */
interface NamedTwins {
  readonly names: readonly string[];
  readonly itemsWith: readonly number[][];
}

function* namedBy(scope: MapScope, twins: readonly Twins[]): Sliced<NamedTwins> {
  const itemsByName = new Map<string, number[]>();
  yield* eachSliced(twins.entries(), 64, ([item, { positions }]) => {
    for (const name of commonNames(scope, positions)) {
      const items = itemsByName.get(name);
      if (items) items.push(item);
      else itemsByName.set(name, [item]);
    }
  });
  const names = byteSorted(itemsByName.keys());
  return { names, itemsWith: names.map((name) => itemsByName.get(name) ?? []) };
}

/** Gives the attributes that each of the policies names. */
function commonNames(scope: MapScope, [first = 0, ...others]: readonly number[]): Iterable<string> {
  const names = namesAt(scope, first);
  for (const position of others) {
    const named = namesAt(scope, position);
    for (const name of names) if (!named.has(name)) names.delete(name);
    if (names.size === 0) break;
  }
  return names;
}

const namesAt = (scope: MapScope, position: number): Set<string> =>
  new Set(MAP_KINDS.flatMap((kind) => scope.sideOf(position, kind)?.attributes ?? []));

/** Changed policies come first, then those that join many pairs. */
const precedence =
  (twins: readonly Twins[]) =>
  (number: number, other: number): number => {
    const left = twins[number];
    const right = twins[other];
    if (!left || !right) return 0;
    return (
      Number(right.isChanged) - Number(left.isChanged) ||
      right.pairCount - left.pairCount ||
      number - other
    );
  };
