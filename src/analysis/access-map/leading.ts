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
    let low = 0;
    let high = first.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(first[middle] ?? 0, item) < 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}
