import { useRef } from 'react';
import { NewChanges, NewestChange, type NewChangesResult } from '../emitted/operations.js';
import { useMay } from './caller-context.js';
import { ask } from './ask.js';
import { useRounds } from './use-rounds.js';
import { useWatch } from './use-watch.js';

const PAUSE_MS = 2_000;

/**
 * Counts the changes of the network, for pages that show its present state and read it again. The
 * beginning counts, too: what changes between the first reading and the beginning comes without an event.
 */
export function useChangeRounds(): number {
  const [rounds, count] = useRounds(PAUSE_MS);
  const may = useMay();
  useWatch(NewChanges, {}, count, may('Subscription', 'changes'), count);
  return rounds;
}

/** Counts the changes of the network since the page is open, for pages that only show that there are some. */
export function useShownChanges(): number {
  const [rounds, count] = useRounds(PAUSE_MS);
  const may = useMay();
  const newest = useRef<string>(undefined);
  const next = ({ changes }: NewChangesResult): void => {
    newest.current = changes.id;
    count();
  };
  // While the page is hidden, or the controller is away, changes come without an event.
  const compare = async (): Promise<void> => {
    const before = newest.current;
    const { changes } = await ask(NewestChange, {});
    const id = changes?.nodes.at(0)?.id;
    if (id === undefined || newest.current !== before) return;
    newest.current = id;
    if (before !== undefined && before !== id) count();
  };
  useWatch(NewChanges, {}, next, may('Subscription', 'changes'), () => {
    compare().catch(() => undefined);
  });
  return rounds;
}
