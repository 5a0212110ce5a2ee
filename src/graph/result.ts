import { GraphQLError, Kind, type ExecutionResult } from 'graphql';
import type { RequestContext } from '../kernel/request/context.js';
import { failure, placedAt, type ApiError } from '../base/errors.js';
import { apiErrorOf, formatApiError } from './format-error.js';

export type OnUnexpected = (error: unknown, requestId: string) => void;

/** Gives errors the code, status and field of the catalogue; logs errors outside of it. */
export function withCodes(
  result: ExecutionResult,
  ctx: RequestContext,
  onUnexpected: OnUnexpected,
): ExecutionResult<Record<string, unknown>, Record<string, unknown>> {
  const errors = result.errors?.map((error) => {
    const apiError = apiErrorOf(error) ?? refusedVariable(error);
    if (!apiError) onUnexpected(error.originalError ?? error, ctx.requestId);
    const { message, extensions, path } = formatApiError(error.toJSON(), apiError, ctx.requestId);
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

/** An error without a path comes from before the execution: the value of a variable was refused. */
function refusedVariable(error: GraphQLError): ApiError | undefined {
  if (error.path) return undefined;
  const refused = failure('COULD_NOT_VALIDATE', error.message);
  const [declared] = error.nodes ?? [];
  return declared?.kind === Kind.VARIABLE_DEFINITION
    ? placedAt(declared.variable.name.value, refused)
    : refused;
}
