import type { LoginCounts } from '../../trust/auth/index.js';
import type { Leases } from '../../data/store/leases.js';
import { every } from './every.js';

const FLUSH_MILLIS = 1_000;
const COUNT_MILLIS = 5_000;
const PRUNE_MILLIS = 600_000;

/** Counts sessions and deletes old hours; one controller does it for all. */
export function startLoginUpkeep(
  counts: LoginCounts,
  leases: Pick<Leases, 'alone'>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopFlushing = startFailureFlushing(counts, onError);
  const alone = (millis: number, work: () => Promise<void>): NodeJS.Timeout =>
    every(millis, () => leases.alone('counts of logins', work), onError);
  const counting = alone(COUNT_MILLIS, () => counts.countSessions());
  const pruning = alone(PRUNE_MILLIS, () => counts.prune());
  return async () => {
    clearInterval(counting);
    clearInterval(pruning);
    await stopFlushing();
  };
}

/** Stores failed logins at an interval, and once more at the end. */
export function startFailureFlushing(
  counts: LoginCounts,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const flushing = every(FLUSH_MILLIS, () => counts.flush(), onError);
  return async () => {
    clearInterval(flushing);
    await counts.flush().catch(onError);
  };
}
