import { invalidField } from '../../base/errors.js';
import { isStorableText, UNSTORABLE } from '../../base/storable.js';

const MAX_LENGTH = 1_000;

/** Gives a text of a person; null for a blank one. */
export function checkedComment(field: string, text: string | null | undefined): string | null {
  const comment = (text ?? '').trim();
  if (comment.length > MAX_LENGTH) {
    throw invalidField(field, `is longer than ${String(MAX_LENGTH)} characters`, comment);
  }
  if (!isStorableText(comment)) throw invalidField(field, UNSTORABLE, '');
  return comment === '' ? null : comment;
}
