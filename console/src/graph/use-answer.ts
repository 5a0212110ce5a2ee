import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef } from 'react';
import { askPartly } from './ask.js';
import { failureOf, type Failure } from './failure.js';
import type { Operation } from './operation.js';
import { useSession } from './session.js';

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

/** A failure is a part of what is kept: an answer may have one beside its data. */
interface KeptAnswer<Result> {
  readonly data: Result | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Asks the graph when the component appears, when a variable changes, after each login, and when the
 * controller is back. Components with the same question do not share its answer: another one that appears
 * would read it anew for all of them, and the map of a time would lose what it has shown before.
 */
export function useAnswer<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  { when = true, every }: AnswerOptions = {},
): AnswerState<Result> {
  const { stage } = useSession();
  const client = useQueryClient();
  const isAsked = when && stage === 'open';
  const component = useId();
  // Documents of different kinds may have one name.
  const queryKey = [component, operation.text, variables];
  const { data, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      answerTo(operation, variables, signal, client.getQueryData<KeptAnswer<Result>>(queryKey)),
    enabled: isAsked,
    refetchInterval: every ?? false,
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    // A query that is switched off lets its request go on.
    if (!isAsked) void client.cancelQueries({ queryKey: [component] });
  }, [client, component, isAsked]);
  const askAnew = useRef<() => void>(undefined);
  askAnew.current = () => {
    if (!isAsked) return;
    // An answer that is under way may be older than what the caller has just changed.
    void client.cancelQueries({ queryKey, exact: true }, { silent: true });
    void refetch();
  };
  const reload = useCallback(() => {
    askAnew.current?.();
  }, []);
  return {
    data: data?.data,
    isOfOthers: isPlaceholderData,
    failure: data?.failure,
    isLoading: isAsked && isFetching,
    reload,
  };
}

async function answerTo<Result, Variables>(
  operation: Operation<Result, Variables>,
  variables: Variables,
  signal: AbortSignal,
  earlier: KeptAnswer<Result> | undefined,
): Promise<KeptAnswer<Result>> {
  try {
    const answer = await askPartly(operation, variables, { signal });
    const [failure] = answer.failures;
    const isNoAnswer = failure?.isTemporary === true && isEmpty(answer.data);
    return { data: isNoAnswer ? earlier?.data : answer.data, failure };
  } catch (fault) {
    return { data: earlier?.data, failure: failureOf(fault) };
  }
}

/** Whether an answer has none of the fields that were asked for. */
const isEmpty = (data: unknown): boolean =>
  Object.values(data ?? {}).every((value) => value === null);
