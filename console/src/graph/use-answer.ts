import { useCallback, useEffect, useRef, useState } from 'react';
import { askPartly } from './ask.js';
import { useConnection } from './connection.js';
import { failureOf, type Failure } from './failure.js';
import type { Operation } from './operation.js';
import { useSession } from './session.js';
import { isVisible } from './use-is-visible.js';

export interface AnswerState<Result> {
  /**
   * The last answer. It stays while the next one is awaited, and where the controller can not answer
   * the same question again now.
   */
  readonly data: Result | undefined;
  /** Whether the last answer is one to other variables. */
  readonly isOfOthers: boolean;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

export interface AnswerOptions {
  /** Asks only while it is true. */
  readonly when?: boolean;
  /** Asks again after so many milliseconds, while the page is visible. */
  readonly every?: number;
}

interface Held<Result> {
  readonly key: string;
  /** The question that the data answers. */
  readonly asked: string;
  readonly data: Result | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Asks the graph when the component appears, when a variable changes, after each login, and when the
 * controller is back.
 */
export function useAnswer<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  { when = true, every }: AnswerOptions = {},
): AnswerState<Result> {
  const { logins, stage } = useSession();
  const { returns } = useConnection();
  const isAsked = when && stage === 'open';
  const [round, setRound] = useState(0);
  const [held, setHeld] = useState<Held<Result>>();
  // Documents of different kinds may have one name.
  const key = `${operation.text} ${JSON.stringify(variables)}`;
  const latest = useRef({ operation, variables });
  latest.current = { operation, variables };
  const isWanted = `${key} ${String(round)} ${String(logins)} ${String(returns)}`;
  useEffect(() => {
    if (!isAsked) return undefined;
    const abort = new AbortController();
    const { operation: asked, variables: given } = latest.current;
    const hold = (
      data: Result | undefined,
      failure: Failure | undefined,
      isNoAnswer: boolean,
    ): void => {
      if (abort.signal.aborted) return;
      setHeld((before) => {
        const isKept = isNoAnswer && before?.asked === key;
        return { key: isWanted, asked: key, data: isKept ? before.data : data, failure };
      });
    };
    askPartly(asked, given, { signal: abort.signal }).then(
      ({ data, failures: [failure] }) => {
        hold(data, failure, failure?.isTemporary === true && isEmpty(data));
      },
      (fault: unknown) => {
        hold(undefined, failureOf(fault), true);
      },
    );
    return () => {
      abort.abort();
    };
  }, [isWanted, isAsked]);
  const reload = useCallback(() => {
    setRound((number) => number + 1);
  }, []);
  useEvery(every, reload);
  return {
    data: held?.data,
    isOfOthers: held !== undefined && held.asked !== key,
    failure: held?.failure,
    isLoading: isAsked && held?.key !== isWanted,
    reload,
  };
}

/** Whether an answer has none of the fields that were asked for. */
const isEmpty = (data: unknown): boolean =>
  Object.values(data ?? {}).every((value) => value === null);

/** Calls after each interval while the page is visible. */
export function useEvery(milliseconds: number | undefined, call: () => void): void {
  useEffect(() => {
    if (milliseconds === undefined) return undefined;
    const timer = setInterval(() => {
      if (isVisible()) call();
    }, milliseconds);
    return () => {
      clearInterval(timer);
    };
  }, [milliseconds, call]);
}
