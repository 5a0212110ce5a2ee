import { failure, type ErrorCode } from '../base/errors.js';

/** Comparisons and other conditions of one filter: the database plans each by itself. */
export const MOST_TERMS = 256;
/** Elements of all lists behind `in`, which are one parameter each list. */
const MOST_VALUES = 10_000;

/** Counts what a filter holds while it is read, so that reading ends where too much begins. */
export class FilterSize {
  #terms = 0;
  #values = 0;

  constructor(private readonly code: ErrorCode = 'INVALID_FILTER') {}

  /** @throws ApiError */
  addTerm(): void {
    this.#terms += 1;
    if (this.#terms > MOST_TERMS) throw this.tooMany(`${String(MOST_TERMS)} terms`);
  }

  /** @throws ApiError */
  addValues(count: number): void {
    this.#values += count;
    if (this.#values > MOST_VALUES) throw this.tooMany(`${String(MOST_VALUES)} values in lists`);
  }

  private tooMany(limit: string): Error {
    return failure(this.code, `the filter has more than ${limit}`);
  }
}
