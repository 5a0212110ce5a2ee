import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Subscriber } from './subscriber.js';

export type Results = AsyncIterableIterator<ExecutionResult, undefined>;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** Gives the results of a subscription; an error that ends it is the last result. */
export function results(
  source: AsyncGenerator<ExecutionResult, void, void>,
  subscriber: Pick<Subscriber, 'checked'>,
  withCodes: (result: ExecutionResult) => ExecutionResult,
  onEnd: () => void,
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
        const { done, value } = await source.next();
        await subscriber.checked();
        if (done !== true) return { done: false, value: withCodes(value) };
        finish();
        return DONE;
      } catch (error) {
        finish();
        return { done: false, value: withCodes({ errors: [errorOf(error)] }) };
      }
    },
    async return() {
      finish();
      await source.return(undefined);
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
