import { countBefore } from '../../../base/sorted.js';

/** Gives the first items by the order. Cheaper than sorting when the caller needs few of many. */
export function leading(
  items: Iterable<number>,
  count: number,
  compare: (item: number, other: number) => number,
): number[] {
  const first: number[] = [];
  for (const item of items) {
    const last = first.at(-1);
    if (first.length >= count && (last === undefined || compare(item, last) >= 0)) continue;
    const place = countBefore(first, (other) => compare(other, item) < 0);
    first.splice(place, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}
