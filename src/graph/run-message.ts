import type { ExecutionResult } from 'graphql';
import { limitOf, type RequestLimits, type Sender } from '../requests/limits/index.js';
import type { Admission, GraphQuery } from './documents/admission.js';
import type { Executor } from './executor.js';
import { withCodes, type OnUnexpected } from './result.js';

export interface MessageDependencies {
  readonly executor: Executor;
  readonly admission: Admission;
  readonly limits: RequestLimits;
  readonly onUnexpected: OnUnexpected;
}

/** Gives the result of a query that came as a message of a connection. */
export type RunMessage = (sender: Sender, query: GraphQuery) => Promise<ExecutionResult>;

/**
 * Makes the function that runs queries of messages within the limits of a request.
 * It throws ApiError for a query that is refused, or not done in time.
 */
export const runMessage =
  ({ executor, admission, limits, onUnexpected }: MessageDependencies): RunMessage =>
  (sender, query) =>
    limits.serveMessage(sender, async (message) => {
      const { ctx, document, text } = await admission.admit(message, query);
      const variables = { ...query.variables };
      const running = executor.run(document, text, ctx, variables, query.operationName);
      const result = await (limitOf(message)?.run(running) ?? running);
      return withCodes(result, ctx, onUnexpected);
    });
