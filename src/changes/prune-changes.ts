import type { Cursor, Store } from '../kernel/request/store-port.js';
import { deleteOldestChanges, newestBeyond } from './change-table.js';

export interface Retention {
  /** What is older goes. */
  readonly keepMs: number;
  /** The oldest beyond so many go; 0 is no bound. */
  readonly most: number;
}

interface Pruning extends Retention {
  readonly now: Date;
  /** What comes later stays: this controller has not read it yet. */
  readonly upTo: Cursor;
}

/** Small enough that no statement holds anybody up. */
const SLICE = 1_000;

/** Others read the log a moment later than this controller: whatever the bounds, so much stays. */
const LATEST_MILLIS = 60_000;

/**
 * Deletes the oldest changes, from the start of the log on, and remembers in the same statement how
 * far. Gives their number. Several controllers at once do no harm.
 */
export async function pruneChanges(store: Store, pruning: Pruning): Promise<number> {
  const { keepMs, most, now, upTo } = pruning;
  const bound = most === 0 ? '' : await newestBeyond(store, most);
  const before = (millis: number): Date => new Date(now.getTime() - millis);
  const slice = { young: before(keepMs), latest: before(LATEST_MILLIS), bound, upTo };
  let total = 0;
  for (let pruned = SLICE; pruned === SLICE;) {
    pruned = await deleteOldestChanges(store, slice, SLICE);
    total += pruned;
  }
  return total;
}
