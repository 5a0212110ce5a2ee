import { compareBytes } from '../../base/byte-order.js';
import type { Sliced } from '../slices.js';
import type { ClassLayout } from './class-layout.js';
import { commonAttributes, firstIds } from './class-traits.js';
import type { EntityClasses } from './entity-classes.js';
import { leading } from './leading.js';
import { MAP_CHANGES, MAP_KINDS } from './map-scope.js';
import type { MapKind, MapScope } from './map-scope.js';
import { alone, nodesOf } from './node-items.js';
import type { NodeItems } from './node-items.js';
import { policyLayout } from './policy-layout.js';
import type { SideMembers } from './side-members.js';

/** The nodes of a map: classes and policies, some of them merged. */
export interface MapLayout {
  readonly classes: ReadonlyMap<MapKind, ClassLayout>;
  /** Positions in the policies of the scope. */
  readonly policies: readonly NodeItems[];
}

/** Divides classes and policies into at most `most` nodes. */
export function* layoutOf(
  scope: MapScope,
  members: SideMembers,
  kinds: ReadonlyMap<MapKind, EntityClasses>,
  most: number,
): Sliced<MapLayout> {
  const counts = [...MAP_KINDS.map((kind) => kinds.get(kind)?.count ?? 0), scope.policies.length];
  const labels = [...MAP_KINDS.map(() => CHANGES), POLICY_LABELS];
  const budgets = budgetsFor(counts, labels, most);
  const classes = new Map<MapKind, ClassLayout>();
  for (const [i, kind] of MAP_KINDS.entries()) {
    const ofKind = kinds.get(kind);
    if (ofKind) classes.set(kind, yield* classLayout(scope, ofKind, budgets[i] ?? 0));
  }
  return { classes, policies: yield* policyLayout(scope, members, classes, budgets.at(-1) ?? 0) };
}

/** The most labels of classes of a kind, and of policies: service policies have two types. */
const CHANGES = MAP_CHANGES.length;
const POLICY_LABELS = 4 * CHANGES;
/** In fewer nodes, some labels would have no place. */
export const LEAST_NODES = 25;

/** Divides the nodes evenly; what one kind does not need is left to the others. */
function budgetsFor(
  counts: readonly number[],
  labels: readonly number[],
  most: number,
): readonly number[] {
  const budgets = counts.map((count, i) => Math.min(count, labels[i] ?? 0));
  let rest = most - budgets.reduce((sum, budget) => sum + budget, 0);
  for (;;) {
    const open = counts.flatMap((count, i) => ((budgets[i] ?? 0) < count ? [i] : []));
    if (open.length === 0 || rest <= 0) return budgets;
    // The smallest share grows first.
    const share = Math.min(...open.map((i) => budgets[i] ?? 0));
    for (const i of open) {
      if (budgets[i] !== share || rest <= 0) continue;
      budgets[i] = share + 1;
      rest -= 1;
    }
  }
}

function* classLayout(
  scope: MapScope,
  classes: EntityClasses,
  budget: number,
): Sliced<ClassLayout> {
  const nodes = yield* classNodes(scope, classes, budget);
  const nodeOfClass = new Int32Array(classes.count);
  for (const [node, { items }] of nodes.entries()) {
    for (const number of items) nodeOfClass[number] = node;
  }
  const nodeOf = new Uint16Array(classes.classOf.length);
  for (let ordinal = 0; ordinal < nodeOf.length; ordinal += 1) {
    nodeOf[ordinal] = nodeOfClass[classes.classOf[ordinal] ?? 0] ?? 0;
  }
  return { classes, nodes, nodeOf };
}

function* classNodes(scope: MapScope, classes: EntityClasses, budget: number): Sliced<NodeItems[]> {
  const numbers = Array.from({ length: classes.count }, (_, number) => number);
  if (numbers.length <= budget) return numbers.map(alone);
  const first = yield* firstClasses(scope, classes, numbers, budget);
  yield;
  const { names, classesWith } = yield* commonAttributes(scope, classes);
  const mergeables = {
    count: classes.count,
    weightOf: (number: number) => classes.sizeOf(number),
    labelOf: (number: number) => classes.changeOf(number),
    itemsWith: classesWith,
  };
  return yield* nodesOf(mergeables, names, first, budget);
}

/** Changed classes come first, then large ones, then by their first ids. */
function* firstClasses(
  scope: MapScope,
  classes: EntityClasses,
  numbers: readonly number[],
  count: number,
): Sliced<number[]> {
  const ranks = Float64Array.from(numbers, (number) => classes.sizeOf(number));
  for (const number of classes.changedClasses()) ranks[number] = CHANGED + (ranks[number] ?? 0);
  const compareRanks = (number: number, other: number): number =>
    (ranks[other] ?? 0) - (ranks[number] ?? 0);
  yield;
  const last = leading(numbers, count, compareRanks).at(-1) ?? 0;
  yield;
  const candidates = numbers.filter((number) => compareRanks(number, last) <= 0);
  yield;
  const ids = yield* firstIds(scope, classes, candidates);
  return leading(
    candidates,
    count,
    (number, other) =>
      compareRanks(number, other) || compareBytes(ids.get(number) ?? '', ids.get(other) ?? ''),
  );
}

/** Above the sizes of all classes. */
const CHANGED = 2 ** 40;
