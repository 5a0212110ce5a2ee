import { useState } from 'react';
import { failureOf, type Failure } from './failure.js';

export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  readonly attempt: (work: () => Promise<void>) => void;
}

/** Runs what a button or a form does, and keeps its failure. */
export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const attempt = (work: () => Promise<void>): void => {
    setBusy(true);
    setFailure(undefined);
    work()
      .catch((fault: unknown) => {
        setFailure(failureOf(fault));
      })
      .finally(() => {
        setBusy(false);
      });
  };
  return { isBusy, failure, attempt };
}
