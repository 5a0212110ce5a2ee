import { GraphQLError, type ExecutionResult } from 'graphql';
import type { RequestContext } from '../kernel/request/context.js';
import { failure, type ApiError } from '../base/errors.js';
import { apiErrorOf, formatApiError } from './format-error.js';

export type OnUnexpected = (error: unknown, requestId: string) => void;

/** Errors leave with the code, status and place of the catalogue; what is not in it is logged. */
export function withCodes(
  result: ExecutionResult,
  ctx: RequestContext,
  onUnexpected: OnUnexpected,
): ExecutionResult<Record<string, unknown>, Record<string, unknown>> {
  const errors = result.errors?.map((error) => {
    const known = apiErrorOf(error) ?? refusedVariable(error);
    if (!known) onUnexpected(error.originalError ?? error, ctx.requestId);
    const { message, extensions, path } = formatApiError(error.toJSON(), known, ctx.requestId);
    return new GraphQLError(message, {
      ...(path ? { path } : {}),
      ...(extensions ? { extensions } : {}),
    });
  });
  return {
    data: (result.data as Record<string, unknown> | null | undefined) ?? null,
    ...(errors ? { errors } : {}),
  };
}

/** What has no place in the answer was refused before the execution: values of variables. */
export const refusedVariable = (error: GraphQLError): ApiError | undefined =>
  error.path ? undefined : failure('COULD_NOT_VALIDATE', error.message);
