import { useState, type Dispatch, type SetStateAction } from 'react';
import type { Failure } from './failure.js';
import { currentSession, useSession } from './session.js';

type MaybeFailure = Failure | undefined;

interface FailureInSession {
  readonly failure: Failure;
  /** The number of logins before it. */
  readonly logins: number;
}

/** Keeps a failure. One for the lack of a session is over with the next login. */
export function useFailure(): readonly [MaybeFailure, Dispatch<SetStateAction<MaybeFailure>>] {
  const [last, setLast] = useState<FailureInSession>();
  const { logins } = useSession();
  const isOver = last?.failure.isUnauthorized === true && last.logins !== logins;
  const setFailure: Dispatch<SetStateAction<MaybeFailure>> = (next) => {
    setLast((earlier) => {
      const failure = typeof next === 'function' ? next(earlier?.failure) : next;
      return failure && { failure, logins: currentSession().logins };
    });
  };
  return [isOver ? undefined : last?.failure, setFailure];
}
