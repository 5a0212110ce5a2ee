import { compareBytes } from '../../../base/byte-order.js';
import { countBefore } from '../../../base/sorted.js';
import type { Sliced } from '../../../base/slices.js';

const RUN = 2048;

/** Sorts the ids in byte order. */
export function* sortedSliced(ids: readonly string[]): Sliced<string[]> {
  let runs: string[][] = [];
  for (let i = 0; i < ids.length; i += RUN) {
    runs.push(ids.slice(i, i + RUN).sort(compareBytes));
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(yield* mergeSliced(runs[i] ?? [], runs[i + 1] ?? []));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergeSliced(left: readonly string[], right: readonly string[]): Sliced<string[]> {
  const merged: string[] = [];
  let j = 0;
  for (const id of left) {
    for (let other = right[j]; other !== undefined && compareBytes(other, id) < 0;) {
      merged.push(other);
      j += 1;
      other = right[j];
    }
    merged.push(id);
    if (merged.length % RUN === 0) yield;
  }
  for (; j < right.length; j += 1) merged.push(right[j] ?? '');
  return merged;
}

/**
 * Gives the first ids in byte order that are not before `from`. Cheaper than sorting when the
 * caller needs few of many ids.
 */
export function smallest(ids: Iterable<string>, count: number, from = ''): string[] {
  const firstIds: string[] = [];
  for (const id of ids) {
    const last = firstIds.at(-1);
    if (firstIds.length >= count && (last === undefined || compareBytes(id, last) >= 0)) continue;
    if (from !== '' && compareBytes(id, from) < 0) continue;
    firstIds.splice(lowerBound(firstIds, id), 0, id);
    if (firstIds.length > count) firstIds.pop();
  }
  return firstIds;
}

/** Up to this number, inserting is cheaper than sorting. */
const FEW = 1024;

/** Gives the first ids in byte order after `after`. */
export function* idsAfter(
  ids: readonly string[],
  count: number,
  after: string | undefined,
): Sliced<string[]> {
  if (count >= FEW) {
    const sorted = yield* sortedSliced(ids);
    const from = after === undefined ? 0 : lowerBound(sorted, after);
    const start = sorted[from] === after ? from + 1 : from;
    return sorted.slice(start, start + count);
  }
  return smallest(ids, count + 1, after)
    .filter((id) => id !== after)
    .slice(0, count);
}

/** Gives the place of the id among ids in byte order, or the place to insert it. */
export function lowerBound(sorted: readonly string[], id: string): number {
  return countBefore(sorted, (other) => compareBytes(other, id) < 0);
}
