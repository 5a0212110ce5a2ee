import { ApiError } from '../../src/base/errors.js';

/** The field and reason with which a check refuses its arguments, or `undefined` when it does not. */
export function refusal<A extends readonly unknown[]>(
  check: (...args: A) => unknown,
  ...args: A
): { field: string; reason: string } | undefined {
  try {
    check(...args);
  } catch (error) {
    if (!(error instanceof ApiError) || error.detail?.kind !== 'field') throw error;
    return { field: error.detail.field, reason: error.detail.reason };
  }
  return undefined;
}
