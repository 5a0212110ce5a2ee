import { compareBytes } from '../../../base/byte-order.js';
import type { Sliced } from '../../../base/slices.js';
import type { ClassLayout } from './class-layout.js';
import { commonAttributes, firstIds } from './class-traits.js';
import type { EntityClasses } from './entity-classes.js';
import { leading } from './leading.js';
import { MAP_CHANGE, MAP_KINDS } from './map-scope.js';
import type { MapChange, MapKind, MapScope } from './map-scope.js';
import { alone, nodesOf } from './node-items.js';
import type { NodeItems } from './node-items.js';
import { policyLayout } from './policy-layout.js';

/** The nodes of a map: classes and policies, some of them merged. */
export interface MapLayout {
  readonly classes: ReadonlyMap<MapKind, ClassLayout>;
  /** Positions in the policies of the scope. */
  readonly policies: readonly NodeItems[];
}

/** Divides classes and policies into at most `most` nodes. */
export function* layoutOf(
  scope: MapScope,
  kinds: ReadonlyMap<MapKind, EntityClasses>,
  most: number,
): Sliced<MapLayout> {
  const counts = [...MAP_KINDS.map((kind) => kinds.get(kind)?.count ?? 0), scope.policies.length];
  const labels = [...MAP_KINDS.map(() => CHANGES), POLICY_LABELS];
  const budgets = budgetsFor(counts, labels, most);
  const classes = new Map<MapKind, ClassLayout>();
  for (const [i, kind] of MAP_KINDS.entries()) {
    const ofKind = kinds.get(kind);
    if (ofKind) classes.set(kind, yield* classLayout(ofKind, budgets[i] ?? 0));
  }
  return { classes, policies: yield* policyLayout(scope, classes, budgets.at(-1) ?? 0) };
}

/** The most labels of classes of a kind, and of policies: service policies have two types. */
const CHANGES = MAP_CHANGE.values.length;
const POLICY_LABELS = 4 * CHANGES;
/** In fewer nodes, some labels would have no place. */
export const MIN_NODES = 25;

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

function* classLayout(classes: EntityClasses, budget: number): Sliced<ClassLayout> {
  const nodes = yield* classNodes(classes, budget);
  const nodeOf = new Uint16Array(classes.count);
  for (const [node, { items }] of nodes.entries()) {
    for (const number of items) nodeOf[number] = node;
  }
  return { classes, nodes, nodeOf };
}

function* classNodes(classes: EntityClasses, budget: number): Sliced<NodeItems[]> {
  if (classes.count <= budget) {
    return Array.from({ length: classes.count }, (_, number) => alone(number));
  }
  const first = yield* firstClasses(classes, budget);
  yield;
  const { names, classesWith } = yield* commonAttributes(classes);
  const mergeables = {
    weights: classes.sizes,
    labels: labelsOf(classes),
    itemsWith: classesWith,
  };
  return yield* nodesOf(mergeables, names, first, budget);
}

/** Changed classes come first, then large ones, then by their first ids. */
function* firstClasses(classes: EntityClasses, count: number): Sliced<number[]> {
  const ranks = Float64Array.from(classes.sizes);
  for (const number of yield* classes.changedClasses()) {
    ranks[number] = CHANGED + (ranks[number] ?? 0);
  }
  yield;
  const least = ranks.slice().sort().at(-count) ?? 0;
  yield;
  const candidates: number[] = [];
  for (let number = 0; number < ranks.length; number += 1) {
    if ((ranks[number] ?? 0) >= least) candidates.push(number);
  }
  const ids = yield* firstIds(classes, candidates);
  return leading(
    candidates,
    count,
    (number, other) =>
      (ranks[other] ?? 0) - (ranks[number] ?? 0) ||
      compareBytes(ids.get(number) ?? '', ids.get(other) ?? ''),
  );
}

/** Gives the change of each class as a number. */
function labelsOf(classes: EntityClasses): Uint8Array {
  const labels = new Uint8Array(classes.count);
  for (let number = 0; number < labels.length && classes.scope.isPair; number += 1) {
    labels[number] = LABELS.indexOf(classes.changeOf(number));
  }
  return labels;
}

const LABELS: readonly MapChange[] = ['GAINED', 'KEPT', 'LOST'];

/** Above the sizes of all classes. */
const CHANGED = 2 ** 40;
