import { useRef, useState } from 'react';
import { failureOf, type Failure } from './failure.js';
import { useFailure } from './use-failure.js';

interface Queue {
  readonly isBusy: boolean;
  /** Of the works that began since nothing was to be done. */
  readonly failure: Failure | undefined;
  /** Does a work after those before it; the promise fails as the work does. */
  readonly enqueue: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Does all that is asked for, one after the other, and keeps the first failure. Own code: mutations of TanStack
 * Query tell the failure of the last one.
 */
export function useQueue(): Queue {
  const [waiting, setWaiting] = useState(0);
  const [failure, setFailure] = useFailure();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    if (waiting === 0) setFailure(undefined);
    setWaiting((count) => count + 1);
    const done = last.current.then(work);
    last.current = done
      .catch((fault: unknown) => {
        setFailure((first) => first ?? failureOf(fault));
      })
      .finally(() => {
        setWaiting((count) => count - 1);
      });
    return done;
  };
  return { isBusy: waiting > 0, failure, enqueue };
}
