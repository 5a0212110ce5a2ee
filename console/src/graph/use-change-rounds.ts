import { NewChanges } from '../emitted/operations.js';
import { useMay } from '../shell/caller-context.js';
import { useRounds } from './use-rounds.js';
import { useWatch } from './use-watch.js';

const PAUSE_MS = 2_000;

/**
 * Counts the changes of the network, for pages that show its present state and read it again. The
 * beginning counts, too: what changes between the first reading and the beginning comes without an event.
 */
export function useChangeRounds(): number {
  return useRoundsOf(true);
}

/** Counts the changes of the network since the page is open, for pages that only tell of them. */
export function useToldChanges(): number {
  return useRoundsOf(false);
}

function useRoundsOf(countsBeginning: boolean): number {
  const [rounds, count] = useRounds(PAUSE_MS);
  const may = useMay();
  useWatch(
    NewChanges,
    {},
    count,
    may('Subscription', 'changes'),
    countsBeginning ? count : undefined,
  );
  return rounds;
}
