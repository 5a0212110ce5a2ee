import { invalidField } from './errors.js';
import { isStorableText, UNSTORABLE } from './storable.js';

/** The longest reason for the change log, in characters. */
const MAX_REASON_LENGTH = 500;

/** The characters that a header can not have either. */
// eslint-disable-next-line no-control-regex -- these are the ones to find
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/**
 * Gives the reason that a client sent for the change log: one line of text; undefined for a blank
 * one.
 * @throws ApiError COULD_NOT_VALIDATE
 */
export function checkedReason(field: string, text: string): string | undefined {
  const reason = text.trim();
  if (reason === '') return undefined;
  if (text.length > MAX_REASON_LENGTH) {
    throw invalidField(field, `is longer than ${String(MAX_REASON_LENGTH)} characters`, text);
  }
  if (!isStorableText(reason)) throw invalidField(field, UNSTORABLE, '');
  if (CONTROL.test(reason)) throw invalidField(field, 'must be one line of text', text);
  return reason;
}

/** The same for a comment on a decision, which may be absent; null without one. */
export const checkedComment = (field: string, text: string | null | undefined): string | null =>
  checkedReason(field, text ?? '') ?? null;
