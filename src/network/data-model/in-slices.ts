import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MILLIS = 8;

/** Does something with each item; other work is done in between. */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let begunAt = performance.now();
  for (const item of items) {
    work(item);
    if (performance.now() - begunAt < SLICE_MILLIS) continue;
    await nextTurn();
    begunAt = performance.now();
  }
}
