import { GraphQLError, type ExecutionResult } from 'graphql';

export type Results = AsyncIterableIterator<ExecutionResult, undefined>;

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The results of a subscription; what breaks it off comes as a last one. */
export function results(
  source: AsyncGenerator<ExecutionResult, void, void>,
  coded: (result: ExecutionResult) => ExecutionResult,
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
        if (done !== true) return { done: false, value: coded(value) };
        finish();
        return DONE;
      } catch (error) {
        finish();
        return { done: false, value: coded({ errors: [errorOf(error)] }) };
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
