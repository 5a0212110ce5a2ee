import { useEffect, useState } from 'react';
import { failureOf, type Failure } from '../../graph/failure.js';
import { useSession } from '../../graph/session.js';
import {
  readFindings,
  type AllFindings,
  type FindingsWanted,
} from '../../parts/findings/read-findings.js';

export interface FindingsState {
  /** What was read last; it stays while the next answer is awaited. */
  readonly all: AllFindings | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface Held {
  readonly key: string;
  readonly all: AllFindings | undefined;
  readonly failure: Failure | undefined;
}

/** Reads the findings when the page appears, when its filters change, and after each login. */
export function useFindings(wanted: FindingsWanted): FindingsState {
  const { logins, stage } = useSession();
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState<Held>();
  const key = JSON.stringify([wanted, logins, round]);
  useEffect(() => {
    if (stage !== 'open') return undefined;
    const abort = new AbortController();
    readFindings(wanted, abort.signal).then(
      (all) => {
        if (!abort.signal.aborted) setHeld({ key, all, failure: undefined });
      },
      (fault: unknown) => {
        if (abort.signal.aborted) return;
        setHeld((before) => ({ key, all: before?.all, failure: failureOf(fault) }));
      },
    );
    return () => {
      abort.abort();
    };
    // The key stands for what is wanted.
  }, [key, stage]);
  return {
    all: held?.all,
    failure: held?.failure,
    isLoading: stage === 'open' && held?.key !== key,
    reload: () => {
      setRound((number) => number + 1);
    },
  };
}
