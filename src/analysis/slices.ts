/** Work that stops every few milliseconds, so that others can run; it returns its result. */
export type Sliced<T> = Generator<undefined, T, undefined>;

/** Does all of it at once. */
export function toEnd<T>(work: Sliced<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

export interface Slicing {
  /** Resolves when others had their turn, e.g. after `setImmediate`. */
  readonly yieldNow: () => Promise<void>;
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number;
  /** Milliseconds to work at a stretch. */
  readonly slice?: number;
}

/** Does it a few milliseconds at a time. What it reads must not change meanwhile. */
export async function inSlices<T>(
  work: Sliced<T>,
  { yieldNow, now, slice = 8 }: Slicing,
): Promise<T> {
  for (let begin = now(); ;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (now() - begin < slice) continue;
    await yieldNow();
    begin = now();
  }
}

/** Visits all of them, stopping after every `stride`. */
export function* eachSliced<T>(
  items: Iterable<T>,
  stride: number,
  visit: (item: T) => void,
): Sliced<void> {
  let left = stride;
  for (const item of items) {
    visit(item);
    left -= 1;
    if (left > 0) continue;
    left = stride;
    yield;
  }
}
