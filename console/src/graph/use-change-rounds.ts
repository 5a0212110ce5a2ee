import { NewChanges } from '../emitted/operations.js';
import { useMay } from '../shell/caller-context.js';
import { useRounds } from './use-rounds.js';
import { useWatch } from './use-watch.js';

const PAUSE_MS = 2_000;

/** Counts the changes of the network, for pages that show its present state. */
export function useChangeRounds(): number {
  const [rounds, count] = useRounds(PAUSE_MS);
  const may = useMay();
  useWatch(NewChanges, {}, count, may('Subscription', 'changes'));
  return rounds;
}
