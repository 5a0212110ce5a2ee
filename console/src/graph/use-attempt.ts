import { useRef, useState } from 'react';
import { failureOf, type Failure } from './failure.js';
import { useFailure } from './use-failure.js';

export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  readonly attempt: (work: () => Promise<void>) => void;
}

/**
 * Runs what a button or a form does, once at a time, and keeps its failure. Own code: a mutation of TanStack
 * Query begins also while another one runs, and keeps a failure for the lack of a session over the next login.
 */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useFailure();
  const isRunning = useRef(false);
  const attempt = (work: () => Promise<void>): void => {
    // A second click may come before the button is disabled.
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setFailure(undefined);
    work()
      .catch((fault: unknown) => {
        setFailure(failureOf(fault));
      })
      .finally(() => {
        isRunning.current = false;
        setBusy(false);
      });
  };
  return { isBusy, failure, attempt };
}
