import { pruneChanges, type Retention } from '../../data/changes/index.js';
import { every } from './every.js';
import type { Cursor, Store } from '../../kernel/request/store-port.js';
import type { Leases } from '../../data/store/leases.js';

const PRUNE_MILLIS = 60_000;

interface ChangeUpkeepOptions extends Retention {
  readonly store: Store;
  readonly leases: Pick<Leases, 'alone'>;
  readonly now: () => Date;
  /** The position up to which this controller has read the log. */
  readonly position: () => Cursor;
  readonly onError: (error: unknown) => void;
}

/** Prunes changes that are too old or too many; one controller does it for all. */
export function startChangeUpkeep(options: ChangeUpkeepOptions): () => Promise<void> {
  const { store, leases, now, position, keepMs, most, onError } = options;
  let running: Promise<unknown> = Promise.resolve();
  const prune = async (): Promise<void> => {
    const pruning = pruneChanges(store, { keepMs, most, now: now(), upTo: position() });
    running = pruning.catch(() => undefined);
    await pruning;
  };
  const timer = every(PRUNE_MILLIS, () => leases.alone('pruning', prune), onError);
  return async () => {
    clearInterval(timer);
    await running;
  };
}
