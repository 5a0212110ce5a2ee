import type { GraphQLFormattedError } from 'graphql';
import { ApiError, retryAfterOf, type ErrorCause } from '../base/errors.js';

/** The catalogue entry behind an error that came out of an execution. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  for (let at = error; typeof at === 'object' && at !== null;) {
    if (at instanceof ApiError) return at;
    at = (at as { originalError?: unknown }).originalError;
  }
  return undefined;
}

/** `extensions {code, status, field, reason, value, retryAfter, requestId}`; anything unexpected is UNHANDLED. */
export function formatApiError(
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
): GraphQLFormattedError {
  const known = apiErrorOf(error) ?? new ApiError('UNHANDLED');
  const { detail } = known;
  const retryAfter = retryAfterOf(known);
  return {
    ...(formatted.path ? { path: formatted.path } : {}),
    ...(formatted.locations ? { locations: formatted.locations } : {}),
    message: messageOf(known),
    extensions: {
      code: known.code,
      status: known.status,
      ...(detail ? causeOf(detail) : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      requestId,
    },
  };
}

/** Codes whose own message adds nothing to their cause. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['COULD_NOT_VALIDATE', 'NOT_FOUND']);

/**
 * Clients of GraphQL show the message and nothing else, where those of REST look for the cause
 * beside it: so it is the fact, with its place.
 */
function messageOf({ code, message, detail }: ApiError): string {
  if (detail?.kind === 'field') {
    const { field, reason } = detail;
    return reason.startsWith(`${field} `) ? reason : `${field}: ${reason}`;
  }
  if (code === 'COULD_NOT_VALIDATE' && !detail) return 'The request is not valid';
  if (detail && SAYS_NOTHING.has(code)) return detail.message;
  return detail ? `${message}: ${detail.message}` : message;
}

/** The whole answer to a request that was refused before its document ran. */
export const graphErrors = (error: ApiError, requestId: string): { errors: object[] } => ({
  errors: [formatApiError({ message: '' }, error, requestId)],
});

function causeOf(detail: ErrorCause): object {
  switch (detail.kind) {
    case 'field':
      return { field: detail.field, reason: detail.reason, value: detail.value };
    case 'message':
      return { reason: detail.message };
    case 'resume':
      return { reason: detail.message, cursor: detail.cursor };
    case 'data':
      return { reason: detail.message, data: detail.data };
  }
}
