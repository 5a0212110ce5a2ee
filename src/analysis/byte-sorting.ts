import { compareBytes } from '../base/byte-order.js';
import type { Sliced } from './slices.js';

const RUN = 2048;

/** The ids in byte order. */
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
 * The first ids in byte order of those not before `from`: cheaper than sorting when few of many
 * are wanted.
 */
export function smallest(ids: Iterable<string>, count: number, from = ''): string[] {
  const found: string[] = [];
  for (const id of ids) {
    const last = found.at(-1);
    if (found.length >= count && (last === undefined || compareBytes(id, last) >= 0)) continue;
    if (from !== '' && compareBytes(id, from) < 0) continue;
    found.splice(lowerBound(found, id), 0, id);
    if (found.length > count) found.pop();
  }
  return found;
}

/** Where the id is in the ids in byte order, or would be inserted. */
export function lowerBound(sorted: readonly string[], id: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareBytes(sorted[middle] ?? '', id) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
