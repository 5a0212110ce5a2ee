import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Subscriber } from './subscriber.js';

export type Results = AsyncIterableIterator<ExecutionResult, undefined>;

interface Execution {
  /** Gives the result of an event. */
  readonly resultOf: (event: unknown) => Promise<ExecutionResult>;
  readonly withCodes: (result: ExecutionResult) => ExecutionResult;
  readonly onEnd: () => void;
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Gives the results of a subscription; an error that ends it is the last result. */
export function results(
  events: AsyncIterator<unknown>,
  subscriber: Pick<Subscriber, 'checked'>,
  { resultOf, withCodes, onEnd }: Execution,
): Results {
  let isOver = false;
  const finish = (): void => {
    isOver = true;
    onEnd();
  };
  return {
    async next() {
      if (isOver) return DONE;
      try {
        const event = await events.next();
        const result = event.done === true ? undefined : await resultOf(event.value);
        await subscriber.checked();
        if (result) return { done: false, value: withCodes(result) };
        finish();
        return DONE;
      } catch (error) {
        finish();
        await events.return?.();
        return { done: false, value: withCodes({ errors: [errorOf(error)] }) };
      }
    },
    async return() {
      finish();
      await events.return?.();
      return DONE;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const errorOf = (error: unknown): GraphQLError =>
  new GraphQLError('', {
    originalError: error instanceof Error ? error : new Error(String(error)),
  });
