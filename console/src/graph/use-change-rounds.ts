import { useEffect, useRef, useState } from 'react';
import { NewChanges } from '../emitted/operations.js';
import { useMay } from '../shell/caller-context.js';
import { useWatch } from './use-watch.js';

/** Many changes at once count as one, so that a page is not read again for each. */
const PAUSE_MS = 2_000;

/** Counts the changes of the network, for pages that show its present state. */
export function useChangeRounds(): number {
  const [rounds, setRounds] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const may = useMay();
  useWatch(
    NewChanges,
    {},
    () => {
      timer.current ??= setTimeout(() => {
        timer.current = undefined;
        setRounds((count) => count + 1);
      }, PAUSE_MS);
    },
    may('Subscription', 'changes'),
  );
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  return rounds;
}
