import { invalidField } from '../../base/errors.js';

/** The longest list of changes. */
const MOST = 1_000;

export function refuseTooMany(field: string, { length }: readonly unknown[], most = MOST): void {
  if (length > most) throw invalidField(field, `at most ${String(most)} at a time`, length);
}
