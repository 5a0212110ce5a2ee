import { invalidField } from '../../base/errors.js';
import { isSent, listAt, textAt } from '../../base/values.js';

/** How values of several types of checks are read. */

export const sortedSet = (values: readonly string[]): string[] => [...new Set(values)].sort();

export const filledListAt = <T>(
  value: unknown,
  field: string,
  entryAt: (entry: unknown, field: string) => T,
): T[] => {
  const entries = listAt(value, field, entryAt);
  if (entries.length === 0) throw invalidField(field, 'must not be empty', value);
  return entries;
};

/** A list that may be left out or null. */
export const optionalTextsAt = (value: unknown, field: string): string[] =>
  isSent(value) ? listAt(value, field, textAt) : [];
