import type { GraphQLFormattedError } from 'graphql';
import { ApiError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { apiErrorOf, formatApiError } from '../format-error.js';
import type { OnUnexpected } from '../result.js';

/** What a client is told of an error that let no subscription begin, or broke it off. */
export function refusalOf(
  error: unknown,
  onUnexpected: OnUnexpected,
): { readonly status: number; readonly error: GraphQLFormattedError } {
  const known = apiErrorOf(error);
  const requestId = newId();
  if (!known) onUnexpected(error, requestId);
  const shown = known ?? new ApiError('UNHANDLED');
  const { message } = shown;
  return { status: shown.status, error: formatApiError({ message }, shown, requestId) };
}
