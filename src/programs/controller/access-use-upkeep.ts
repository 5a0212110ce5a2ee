import type { AccessUses } from '../../access/use/index.js';
import { usedAccess } from '../../data/rows/access-use/index.js';
import type { Store } from '../../kernel/request/store-port.js';
import type { Leases } from '../../data/store/leases.js';
import { every } from './every.js';

const FLUSH_MILLIS = 2_000;
const IN_USE_MILLIS = 300_000;

/** Stores the uses that this process has recorded, at an interval and once more at the end. */
export function startUseFlushing(
  uses: AccessUses,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const flushing = every(FLUSH_MILLIS, () => uses.flush(), onError);
  return async () => {
    clearInterval(flushing);
    await uses.flush().catch(onError);
  };
}

interface AccessUseUpkeepOptions {
  readonly store: Store;
  readonly accessUses: AccessUses;
  readonly leases: Leases;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Each process stores its own uses; one controller stores for all what is in use for long. */
export function startAccessUseUpkeep(options: AccessUseUpkeepOptions): () => Promise<void> {
  const { store, accessUses, leases, now, onError } = options;
  const stopFlushing = startUseFlushing(accessUses, onError);
  const storing = every(
    IN_USE_MILLIS,
    () => leases.alone('access in use', () => usedAccess.storePresent(store, now())),
    onError,
  );
  return async () => {
    clearInterval(storing);
    await stopFlushing();
  };
}
