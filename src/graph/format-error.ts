import type { GraphQLFormattedError } from 'graphql';
import { ApiError } from '../kernel/errors.js';

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
      ...(detail?.kind === 'field'
        ? { field: detail.field, reason: detail.reason, value: detail.value }
        : {}),
      ...(detail?.kind === 'message' ? { reason: detail.message } : {}),
      requestId,
    },
  };
}
