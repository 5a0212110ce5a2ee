import type { GraphQLFormattedError } from 'graphql';
import { ApiError, reasonWithField, retryAfterOf, type ErrorCause } from '../base/errors.js';

/** Gives the catalogue entry of an error from an execution. */
export function apiErrorOf(error: unknown): ApiError | undefined {
  for (let current = error; typeof current === 'object' && current !== null;) {
    if (current instanceof ApiError) return current;
    current = (current as { originalError?: unknown }).originalError;
  }
  return undefined;
}

/**
 * Gives `extensions {code, status, field, reason, value, place, retryAfter, challenge, requestId}`; any
 * other error is UNHANDLED.
 */
export function formatApiError(
  formatted: GraphQLFormattedError,
  error: unknown,
  requestId: string,
): GraphQLFormattedError {
  const apiError = apiErrorOf(error) ?? new ApiError('UNHANDLED');
  const { detail, challenge } = apiError;
  const retryAfter = retryAfterOf(apiError);
  return {
    ...(formatted.path ? { path: formatted.path } : {}),
    ...(formatted.locations ? { locations: formatted.locations } : {}),
    message: messageOf(apiError),
    extensions: {
      code: apiError.code,
      status: apiError.status,
      ...(detail ? causeOf(detail) : {}),
      ...(apiError.place === undefined ? {} : { place: apiError.place }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(challenge === undefined ? {} : { challenge }),
      requestId,
    },
  };
}

/** Codes whose own message adds nothing to the cause. */
const GENERIC_CODES: ReadonlySet<string> = new Set(['COULD_NOT_VALIDATE', 'NOT_FOUND']);

/**
 * GraphQL clients show only the message, REST clients show the cause too. So this message is the
 * cause with its field.
 */
function messageOf({ code, message, detail }: ApiError): string {
  if (detail?.kind === 'field') return reasonWithField(detail.field, detail.reason);
  if (code === 'COULD_NOT_VALIDATE' && !detail) return 'The request is not valid';
  if (detail && GENERIC_CODES.has(code)) return detail.message;
  return detail ? `${message}: ${detail.message}` : message;
}

/** Gives the answer to a request that was refused before its document ran. */
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
