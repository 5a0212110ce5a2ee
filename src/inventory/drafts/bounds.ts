import { invalidField } from '../../base/errors.js';

/** The longest list of changes. */
const MAX_CHANGES = 1_000;

export function refuseTooMany(
  field: string,
  { length }: readonly unknown[],
  most = MAX_CHANGES,
): void {
  if (length > most) throw invalidField(field, `at most ${String(most)} at a time`, length);
}
