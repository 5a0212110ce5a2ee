import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../graph/failure.js';
import { useSession } from '../../graph/session.js';
import { readSteps, type TimeSteps } from './time-steps.js';

export interface TimeStepsState {
  readonly time: TimeSteps | undefined;
  readonly failure: Failure | undefined;
}

/** Reads the steps of the log when they are wanted, when the round changes, and after each login. */
export function useTimeSteps(round: number): TimeStepsState {
  const { logins, stage } = useSession();
  const [held, setHeld] = useState<TimeStepsState>({ time: undefined, failure: undefined });
  useEffect(() => {
    if (stage !== 'open') return undefined;
    const abort = new AbortController();
    readSteps(abort.signal).then(
      (time) => {
        if (!abort.signal.aborted) setHeld({ time, failure: undefined });
      },
      (fault: unknown) => {
        if (abort.signal.aborted) return;
        const failure = failureOf(fault);
        setHeld((before) => ({ ...before, failure }));
      },
    );
    return () => {
      abort.abort();
    };
  }, [round, logins, stage]);
  return held;
}
