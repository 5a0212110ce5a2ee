import type { GraphQLFormattedError } from 'graphql';
import { ApiError, type ErrorCause } from '../kernel/errors.js';

/** The catalogue entry behind an error that came out of an execution. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  for (let at = error; typeof at === 'object' && at !== null;) {
    if (at instanceof ApiError) return at;
    at = (at as { originalError?: unknown }).originalError;
  }
  return undefined;
}

/** `extensions {code, status, field, reason, value, requestId}`; anything unexpected is UNHANDLED. */
export function formatApiError(
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
): GraphQLFormattedError {
  const known = apiErrorOf(error) ?? new ApiError('UNHANDLED');
  const { detail } = known;
  return {
    ...(formatted.path ? { path: formatted.path } : {}),
    ...(formatted.locations ? { locations: formatted.locations } : {}),
    message: detail?.kind === 'message' ? `${known.message}: ${detail.message}` : known.message,
    extensions: {
      code: known.code,
      status: known.status,
      ...(detail ? causeOf(detail) : {}),
      requestId,
    },
  };
}

function causeOf(detail: ErrorCause): object {
  switch (detail.kind) {
    case 'field':
      return { field: detail.field, reason: detail.reason, value: detail.value };
    case 'message':
      return { reason: detail.message };
    case 'data':
      return { reason: detail.message, data: detail.data };
  }
}
