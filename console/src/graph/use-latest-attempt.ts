import { useEffect, useRef, useState } from 'react';
import { failureOf, type Failure } from './failure.js';
import { useFailure } from './use-failure.js';

export interface LatestAttempt {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  readonly attempt: (work: (signal: AbortSignal) => Promise<void>) => void;
  /** Gives up what runs. */
  readonly stop: () => void;
}

/**
 * Runs what may take long. The next attempt, and leaving the page, give up the one before. Own code: a mutation
 * of TanStack Query can not be given up.
 */
export function useLatestAttempt(): LatestAttempt {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useFailure();
  const running = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      running.current?.abort();
    },
    [],
  );
  const stop = (): void => {
    running.current?.abort();
    setBusy(false);
  };
  const attempt = (work: (signal: AbortSignal) => Promise<void>): void => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    setBusy(true);
    setFailure(undefined);
    work(signal)
      .catch((fault: unknown) => {
        if (!signal.aborted) setFailure(failureOf(fault));
      })
      .finally(() => {
        if (!signal.aborted) setBusy(false);
      });
  };
  return { isBusy, failure, attempt, stop };
}
