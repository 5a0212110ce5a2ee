import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';

/** Classes or policies that may be merged. Items and attributes are numbers from 0. */
export interface Mergeables {
  /** By item. Attributes are ranked by the weights of their items, such as the numbers of entities. */
  readonly weights: ArrayLike<number>;
  /** By item: a number from 0. Only items with the same label are merged. */
  readonly labels: ArrayLike<number>;
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
  readonly label: number;
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
  const merging = new Merging(mergeables);
  const firstCount = Math.max(0, Math.min(Math.floor(budget / 2), budget - merging.labelCount));
  for (const item of first.slice(0, firstCount)) merging.isSingle[item] = 1;
  yield;
  const groups = yield* merging.groups(budget - firstCount);
  // Groups that are not needed make room for further single items.
  const single = first.slice(0, budget - groups.length);
  for (const item of single) merging.isSingle[item] = 1;
  const merged = single.map(alone);
  for (const { items, attribute } of groups) {
    yield;
    const rest = items.filter((item) => merging.isSingle[item] === 0);
    const [only] = rest;
    if (only === undefined) continue;
    merged.push(rest.length === 1 ? alone(only) : { items: rest, attribute });
  }
  return merged;
}

const alone = (item: number): MergedItems => ({ items: [item], attribute: undefined });

const NONE = -1;

/** Items on their way into groups. */
class Merging {
  /** By item: 1 for those that are not merged. */
  readonly isSingle: Uint8Array;
  readonly labelCount: number;
  readonly #labelBound: number;

  constructor(private readonly mergeables: Mergeables) {
    const { labels, weights } = mergeables;
    const distinct = new Set<number>();
    for (let item = 0; item < labels.length; item += 1) distinct.add(labels[item] ?? 0);
    this.labelCount = distinct.size;
    this.#labelBound = Math.max(0, ...distinct) + 1;
    this.isSingle = new Uint8Array(weights.length);
  }

  /** Gives at most so many groups of all items that are not single. */
  *groups(most: number): Sliced<Group[]> {
    const chosen = yield* this.#chosenAttributes();
    const groups = new Map<number, Group>();
    for (let item = 0; item < chosen.length; item += 1) {
      if (this.isSingle[item] === 0) this.#add(groups, item, chosen[item] ?? NONE);
      if (item % PAUSE === PAUSE - 1) yield;
    }
    if (groups.size <= most) return [...groups.values()];
    const labelCount = new Set([...groups.values()].map(({ label }) => label)).size;
    const ordered = [...groups]
      .filter(([, { attribute }]) => attribute !== undefined)
      .sort(([, a], [, b]) => compareGroups(a, b));
    for (const [key, { items }] of ordered.slice(Math.max(0, most - labelCount))) {
      groups.delete(key);
      yield* eachSliced(items, PAUSE, (item) => {
        this.#add(groups, item, NONE);
      });
    }
    return [...groups.values()];
  }

  /** Gives the most common attribute of each item that is merged. */
  *#chosenAttributes(): Sliced<Int32Array> {
    const { weights, itemsWith } = this.mergeables;
    let total = 0;
    for (let item = 0; item < weights.length; item += 1) total += this.#mergedWeight(item);
    yield;
    const weightsOf = new Float64Array(itemsWith.length);
    yield* eachSliced(itemsWith.keys(), 16, (attribute) => {
      const items = itemsWith[attribute] ?? [];
      let weight = 0;
      for (let i = 0; i < items.length; i += 1) weight += this.#mergedWeight(items[i] ?? 0);
      weightsOf[attribute] = weight;
    });
    // An attribute of more than half of them divides little: it counts only without another one.
    const ranks = weightsOf.map((weight) => (weight * 2 > total ? -weight : weight));
    const ranked = [...itemsWith.keys()].sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b);
    const chosen = new Int32Array(weights.length).fill(NONE);
    yield* eachSliced(ranked, 16, (attribute) => {
      const items = itemsWith[attribute] ?? [];
      for (let i = 0; i < items.length; i += 1) {
        const item = items[i] ?? 0;
        if (chosen[item] === NONE) chosen[item] = attribute;
      }
    });
    return chosen;
  }

  #mergedWeight(item: number): number {
    return this.isSingle[item] === 0 ? (this.mergeables.weights[item] ?? 0) : 0;
  }

  /** Groups are found by label and attribute. */
  #add(groups: Map<number, Group>, item: number, attribute: number): void {
    const label = this.mergeables.labels[item] ?? 0;
    const key = (attribute + 1) * this.#labelBound + label;
    let group = groups.get(key);
    if (!group) {
      group = {
        label,
        attribute: attribute === NONE ? undefined : attribute,
        items: [],
        weight: 0,
      };
      groups.set(key, group);
    }
    group.items.push(item);
    group.weight += this.mergeables.weights[item] ?? 0;
  }
}

const PAUSE = 4_096;

const compareGroups = (a: Group, b: Group): number =>
  b.weight - a.weight || (a.attribute ?? 0) - (b.attribute ?? 0) || a.label - b.label;
