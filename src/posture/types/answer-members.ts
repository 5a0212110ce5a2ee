import { invalidField } from '../../base/errors.js';
import { isStorableText, UNSTORABLE } from '../../base/storable.js';
import { booleanAt, isSent, listAt } from '../../base/values.js';
import { bool, text, textSet, type AttributeType } from '../../kernel/declare/attribute.js';

/** A member of what clients send of a device. */
export interface AnswerMember<T> {
  readonly type: AttributeType;
  /** The documents put `Of MAC: ` before it. */
  readonly description: string;
  read(value: unknown, field: string): T;
}

const MAX_CHARACTERS = 255;

/** Text may be empty: a device without a domain says so. */
export function anyTextAt(value: unknown, field: string, longest = MAX_CHARACTERS): string {
  if (!isSent(value)) throw invalidField(field, 'is required', null);
  if (typeof value !== 'string') throw invalidField(field, 'must be text', value);
  if (value.length > longest) {
    throw invalidField(field, `must have at most ${longest} characters`, value);
  }
  if (!isStorableText(value)) throw invalidField(field, UNSTORABLE, value);
  return value;
}

function anyTextsAt(value: unknown, field: string, most: number): readonly string[] {
  if (!isSent(value)) throw invalidField(field, 'is required', null);
  if (Array.isArray(value) && value.length > most) {
    throw invalidField(field, `must have at most ${most} entries`, value);
  }
  return listAt(value, field, (entry, at) => anyTextAt(entry, at));
}

interface TextOptions {
  readonly required?: boolean;
  readonly longest?: number;
}

/** Text; when it may be left out, it is empty then. */
export const textAnswer = (
  description: string,
  { required = false, longest }: TextOptions = {},
): AnswerMember<string> => ({
  type: text(),
  description,
  read: (value, field) => anyTextAt(required ? value : (value ?? ''), field, longest),
});

interface TextsOptions {
  readonly required?: boolean;
  /** Bounds what one identity can make the controller keep. */
  readonly most: number;
}

/** A list of texts; when it may be left out, it is empty then. */
export const textsAnswer = (
  description: string,
  { required = false, most }: TextsOptions,
): AnswerMember<readonly string[]> => ({
  type: textSet(),
  description,
  read: (value, field) => anyTextsAt(required ? value : (value ?? []), field, most),
});

/** True or false; false when it is left out. */
export const flagAnswer = (description: string): AnswerMember<boolean> => ({
  type: bool(),
  description,
  read: (value, field) => (isSent(value) ? booleanAt(value, field) : false),
});
