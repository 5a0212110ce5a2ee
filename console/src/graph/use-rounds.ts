import { useCallback, useEffect, useRef, useState } from 'react';

/**
 * Counts rounds of events: many events within a pause count as one round at its end, so that a page is
 * not read again for each of them. A prompt one counts the first event at once, too: the page then does
 * not wait for the pause, and the end of it counts for a process that knows of the event a little later.
 */
export function useRounds(
  pauseMs: number,
  isPrompt = false,
): readonly [rounds: number, count: () => void] {
  const [rounds, setRounds] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const count = useCallback(() => {
    if (timer.current !== undefined) return;
    const add = (): void => {
      setRounds((number) => number + 1);
    };
    if (isPrompt) add();
    timer.current = setTimeout(() => {
      timer.current = undefined;
      add();
    }, pauseMs);
  }, [pauseMs, isPrompt]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return [rounds, count];
}
