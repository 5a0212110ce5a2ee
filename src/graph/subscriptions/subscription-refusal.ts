import type { GraphQLFormattedError } from 'graphql';
import { ApiError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { apiErrorOf, formatApiError } from '../format-error.js';
import type { OnUnexpected } from '../result.js';

/** Gives the error for the client when a subscription can not start or was aborted. */
export function refusalOf(
  error: unknown,
  onUnexpected: OnUnexpected,
): { readonly status: number; readonly error: GraphQLFormattedError } {
  const apiError = apiErrorOf(error);
  const requestId = newId();
  if (!apiError) onUnexpected(error, requestId);
  const shownError = apiError ?? new ApiError('UNHANDLED');
  const { message } = shownError;
  return { status: shownError.status, error: formatApiError({ message }, shownError, requestId) };
}
