import { ApiError } from '../../base/errors.js';
import type { Query } from './predicate.js';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 500;
const MAX_OFFSET = 100_000;
/** Characters of a refused text that the error repeats. */
const MAX_SHOWN = 80;

/** The page of a list; `limit` is `none` for all rows. */
export interface Page {
  readonly limit: number | 'none';
  readonly offset: number;
}

/** The query parameters of a list; integers, as read by `pageNumber`. */
export interface PageParameters {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** Applies the paging rules: clauses of the filter override query parameters, then limits apply. */
export function effectivePage(
  parameters: PageParameters,
  clauses: Pick<Query, 'skip' | 'limit'> = {},
): Page {
  return {
    limit: clampLimit(clauses.limit ?? parameters.limit ?? 0),
    offset: Math.max(0, Math.min(MAX_OFFSET, clauses.skip ?? parameters.offset ?? 0)),
  };
}

function clampLimit(limit: number | 'none'): number | 'none' {
  if (limit === 'none' || limit === -1) return 'none';
  return limit > 0 ? Math.min(MAX_LIMIT, limit) : DEFAULT_LIMIT;
}

/**
 * The integer of a paging parameter; undefined when it is absent or empty.
 * @throws ApiError INVALID_PAGINATION when it is not a 64-bit integer.
 */
export function pageNumber(name: 'limit' | 'offset', text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[+-]?\d{1,19}$/.test(text) || BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) {
    const reason = `${name} must be an integer of 64 bits`;
    throw new ApiError('INVALID_PAGINATION', {
      kind: 'field',
      field: name,
      reason,
      value: text.slice(0, MAX_SHOWN),
    });
  }
  return Number(text);
}
