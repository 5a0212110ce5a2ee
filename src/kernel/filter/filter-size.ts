import { failure, type ErrorCode } from '../../base/errors.js';

/** Limit of conditions in one filter, since the database plans each separately. */
export const MAX_TERMS = 256;
/** Limit of elements in all lists of `in`; each list is one parameter. */
const MAX_VALUES = 10_000;

/** Counts the terms and values of a filter during parsing, so that parsing stops at the limit. */
export class FilterSize {
  #terms = 0;
  #values = 0;

  constructor(private readonly code: ErrorCode = 'INVALID_FILTER') {}

  /** @throws ApiError */
  addTerm(): void {
    this.#terms += 1;
    if (this.#terms > MAX_TERMS) throw this.tooMany(`${String(MAX_TERMS)} terms`);
  }

  /** @throws ApiError */
  addValues(count: number): void {
    this.#values += count;
    if (this.#values > MAX_VALUES) throw this.tooMany(`${String(MAX_VALUES)} values in lists`);
  }

  private tooMany(limit: string): Error {
    return failure(this.code, `the filter has more than ${limit}`);
  }
}
