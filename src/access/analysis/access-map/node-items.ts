import type { Sliced } from '../../../base/slices.js';
import { mergedInto } from './merging.js';
import type { Mergeables } from './merging.js';

/** The classes or the policies of a node. */
export interface NodeItems {
  /** Numbers of classes, or positions of policies in ascending order. */
  readonly items: readonly number[];
  /** The attribute by which they were merged. */
  readonly roleAttribute: string | undefined;
}

export const alone = (item: number): NodeItems => ({ items: [item], roleAttribute: undefined });

/** Merges items as `mergedInto` does, and names their attributes. */
export function* nodesOf(
  mergeables: Mergeables,
  names: readonly string[],
  first: readonly number[],
  budget: number,
): Sliced<NodeItems[]> {
  const merged = yield* mergedInto(mergeables, first, budget);
  return merged.map(({ items, attribute }) => ({
    items,
    roleAttribute: attribute === undefined ? undefined : names[attribute],
  }));
}
