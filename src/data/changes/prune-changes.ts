import { changes } from '../rows/change/index.js';
import type { Cursor, Store } from '../../kernel/request/store-port.js';

export interface Retention {
  /** Older changes are deleted. */
  readonly keepMs: number;
  /** Only so many changes stay; 0 means no limit. */
  readonly most: number;
}

interface Pruning extends Retention {
  readonly now: Date;
  /** Later changes stay: this controller has not read them yet. */
  readonly upTo: Cursor;
}

/** Small enough that no statement blocks others for long. */
const SLICE = 1_000;

/** Changes of this last time stay under any limits: other controllers read the log later. */
const LATEST_MILLIS = 60_000;

/**
 * Deletes the oldest changes from the start of the log, and stores the new start in the same
 * statement. Gives their number. Several controllers may do so at once.
 */
export async function pruneChanges(store: Store, pruning: Pruning): Promise<number> {
  const { keepMs, most, now, upTo } = pruning;
  const bound = most === 0 ? '' : await changes.newestBeyond(store, most);
  const millisAgo = (millis: number): Date => new Date(now.getTime() - millis);
  const slice = { young: millisAgo(keepMs), latest: millisAgo(LATEST_MILLIS), bound, upTo };
  let total = 0;
  for (let pruned = SLICE; pruned === SLICE;) {
    pruned = await changes.prune(store, slice, SLICE);
    total += pruned;
  }
  return total;
}
