import { isStorableText, UNSTORABLE } from '../../../base/storable.js';
import {
  anyText,
  atMostCharacters,
  atMostEntries,
  boolean,
  filledText,
  listOf,
  orElse,
  ruled,
  type TypedSchema,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { bool, text, textSet, type AttributeType } from '../../../kernel/declare/attribute.js';

/** A member of what clients send of a device. */
export interface AnswerMember<T> {
  readonly type: AttributeType;
  /** The documents put `Of MAC: ` before it. */
  readonly description: string;
  readonly schema: TypedSchema<T>;
}

/** The answer that such members make up: `AnswerOf<typeof members>`. */
export type AnswerOf<Members> = {
  readonly [K in keyof Members]: Members[K] extends { readonly schema: infer Schema }
    ? ValueOfSchema<Schema>
    : never;
};

const MAX_CHARACTERS = 255;

const textFault = (value: string): string | undefined =>
  isStorableText(value) ? undefined : UNSTORABLE;

const atMost = (longest: number, text: ReturnType<typeof anyText>): TypedSchema<string> =>
  ruled(atMostCharacters(longest, text), textFault);

/** The id of the check that a client answers. */
export const ANSWERED_ID = atMost(MAX_CHARACTERS, filledText());

interface TextOptions {
  readonly required?: boolean;
  readonly longest?: number;
}

/** Text, which may be empty: a device without a domain says so. Absent text is empty. */
export function textAnswer(
  description: string,
  { required = false, longest = MAX_CHARACTERS }: TextOptions = {},
): AnswerMember<string> {
  const schema = atMost(longest, anyText());
  return { type: text(), description, schema: required ? schema : orElse(schema, '') };
}

interface TextsOptions {
  readonly required?: boolean;
  /** Bounds what one identity can make the controller keep. */
  readonly most: number;
}

/** A list of texts; when it may be left out, it is empty then. */
export function textsAnswer(
  description: string,
  { required = false, most }: TextsOptions,
): AnswerMember<readonly string[]> {
  const schema = atMostEntries(most, listOf(atMost(MAX_CHARACTERS, anyText())));
  return { type: textSet(), description, schema: required ? schema : orElse(schema, []) };
}

/** True or false; false when it is left out. */
export const flagAnswer = (description: string): AnswerMember<boolean> => ({
  type: bool(),
  description,
  schema: orElse(boolean(), false),
});
