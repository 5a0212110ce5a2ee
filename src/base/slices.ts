import { performance } from 'node:perf_hooks';
import { setImmediate as immediately } from 'node:timers/promises';

/** Work that pauses every few milliseconds, so that other work can run; it returns its result. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Runs the work without pauses. */
export function toEnd<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

export interface Slicing {
  /** Resolves when other work has run. */
  readonly yieldNow?: () => Promise<void>;
  /** Milliseconds of any clock that never goes back. */
  readonly now?: () => number;
  /** Milliseconds of work between two pauses. */
  readonly slice?: number;
}

const monotonic = (): number => performance.now();

/** Runs the work in slices of a few milliseconds. Its input must not change meanwhile. */
export async function inSlices<T>(
  work: Sliced<T>,
  { yieldNow = immediately, now = monotonic, slice = 8 }: Slicing = {},
): Promise<T> {
  for (let begin = now(); ;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (now() - begin < slice) continue;
    await yieldNow();
    begin = now();
  }
}

/** Visits all items, with a pause after every `stride`. */
export function* eachSliced<T>(
  items: Iterable<T>,
  stride: number,
  visit: (item: T) => void,
): Sliced<void> {
  let untilPause = stride;
  for (const item of items) {
    visit(item);
    untilPause -= 1;
    if (untilPause > 0) continue;
    untilPause = stride;
    yield;
  }
}
