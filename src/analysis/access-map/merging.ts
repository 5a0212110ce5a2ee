import { compareBytes } from '../../base/byte-order.js';
import { eachSliced } from '../slices.js';
import type { Sliced } from '../slices.js';

/** Classes or policies that may be merged. Items and attributes are numbers from 0. */
export interface Mergeables {
  readonly count: number;
  /** Attributes are ranked by the weights of their items, such as the numbers of entities. */
  readonly weightOf: (item: number) => number;
  /** Only items with the same label are merged. */
  readonly labelOf: (item: number) => string;
  /** For each role attribute the items that may be merged by it, each item once. */
  readonly itemsWith: readonly ArrayLike<number>[];
}

export interface MergedItems {
  /** In no particular order. */
  readonly items: readonly number[];
  /** The attribute of all items; undefined for a single item, and for the items left over. */
  readonly attribute: number | undefined;
}

/** A group of merged items while groups are formed. */
interface Group {
  readonly label: string;
  readonly attribute: number | undefined;
  readonly items: number[];
  weight: number;
}

/**
 * Divides items into at most `budget` groups. The first items by precedence stay alone; the others
 * are merged by the most common of their attributes. The budget is at least the number of labels.
 */
export function* mergedInto(
  mergeables: Mergeables,
  /** The first items by precedence, as many as the budget. */
  first: readonly number[],
  budget: number,
): Sliced<MergedItems[]> {
  const labels = new Set<string>();
  yield* eachItem(mergeables, (item) => {
    labels.add(mergeables.labelOf(item));
  });
  const firstCount = Math.max(0, Math.min(Math.floor(budget / 2), budget - labels.size));
  const single = new Set(first.slice(0, firstCount));
  const groups = yield* groupsOf(mergeables, single, budget - firstCount);
  // Groups that are not needed make room for further single items.
  const spareCount = budget - firstCount - groups.length;
  for (const item of first.slice(firstCount, firstCount + spareCount)) single.add(item);
  const merged = [...single].map(alone);
  for (const group of groups) {
    yield;
    const rest = group.items.filter((item) => !single.has(item));
    const [only] = rest;
    if (only === undefined) continue;
    merged.push(rest.length === 1 ? alone(only) : { items: rest, attribute: group.attribute });
  }
  return merged;
}

function* eachItem({ count }: Mergeables, visit: (item: number) => void): Sliced<void> {
  for (let item = 0; item < count; item += 1) {
    visit(item);
    if (item % PAUSE === PAUSE - 1) yield;
  }
}

const PAUSE = 4_096;

const alone = (item: number): MergedItems => ({ items: [item], attribute: undefined });

function* groupsOf(
  mergeables: Mergeables,
  single: ReadonlySet<number>,
  most: number,
): Sliced<Group[]> {
  const chosen = yield* chosenAttributes(mergeables, single);
  const groups = new Groups(mergeables);
  yield* eachItem(mergeables, (item) => {
    if (single.has(item)) return;
    const attribute = chosen[item] ?? NONE;
    groups.add(item, attribute === NONE ? undefined : attribute);
  });
  const all = groups.list();
  if (all.length <= most) return all;
  const labels = new Set(all.map(({ label }) => label));
  const ordered = all.filter(({ attribute }) => attribute !== undefined).sort(compareGroups);
  for (const group of ordered.slice(Math.max(0, most - labels.size))) {
    groups.delete(group);
    yield* eachSliced(group.items, 1024, (item) => {
      groups.add(item, undefined);
    });
  }
  return groups.list();
}

const NONE = -1;

/** Gives the most common attribute of each item that is merged. */
function* chosenAttributes(
  mergeables: Mergeables,
  single: ReadonlySet<number>,
): Sliced<Int32Array> {
  const { count, weightOf, itemsWith } = mergeables;
  let total = 0;
  yield* eachItem(mergeables, (item) => {
    if (!single.has(item)) total += weightOf(item);
  });
  const weights = new Float64Array(itemsWith.length);
  yield* eachSliced(itemsWith.keys(), 16, (attribute) => {
    const items = itemsWith[attribute] ?? [];
    for (let i = 0; i < items.length; i += 1) {
      const item = items[i] ?? 0;
      if (!single.has(item)) weights[attribute] = (weights[attribute] ?? 0) + weightOf(item);
    }
  });
  // An attribute of more than half of them divides little: it counts only without another one.
  const rankOf = (attribute: number): number => {
    const weight = weights[attribute] ?? 0;
    return weight * 2 > total ? -weight : weight;
  };
  const ranked = [...itemsWith.keys()].sort((a, b) => rankOf(b) - rankOf(a) || a - b);
  const chosen = new Int32Array(count).fill(NONE);
  yield* eachSliced(ranked, 16, (attribute) => {
    const items = itemsWith[attribute] ?? [];
    for (let i = 0; i < items.length; i += 1) {
      const item = items[i] ?? 0;
      if (chosen[item] === NONE) chosen[item] = attribute;
    }
  });
  return chosen;
}

/** Groups by label and attribute. */
class Groups {
  readonly #byLabel = new Map<string, Map<number | undefined, Group>>();

  constructor(private readonly mergeables: Mergeables) {}

  add(item: number, attribute: number | undefined): void {
    const label = this.mergeables.labelOf(item);
    const byAttribute = this.#byLabel.get(label) ?? new Map<number | undefined, Group>();
    this.#byLabel.set(label, byAttribute);
    const group = byAttribute.get(attribute) ?? { label, attribute, items: [], weight: 0 };
    byAttribute.set(attribute, group);
    group.items.push(item);
    group.weight += this.mergeables.weightOf(item);
  }

  delete({ label, attribute }: Group): void {
    this.#byLabel.get(label)?.delete(attribute);
  }

  list(): Group[] {
    return [...this.#byLabel.values()].flatMap((byAttribute) => [...byAttribute.values()]);
  }
}

const compareGroups = (a: Group, b: Group): number =>
  b.weight - a.weight || (a.attribute ?? 0) - (b.attribute ?? 0) || compareBytes(a.label, b.label);
