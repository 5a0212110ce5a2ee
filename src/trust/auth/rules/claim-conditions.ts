import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { valueAtPointer } from '../../../base/json-pointer.js';
import {
  atMostCharacters,
  atMostEntries,
  filledText,
  listOf,
  orElse,
  orNull,
  ruled,
  schemaOf,
  type ValueOfSchema,
} from '../../../base/typed-schema.js';
import { claimsPointer } from './claims-pointer.js';

/* Conditions on claims of a token beside those that the standard names. */

const MAX_CONDITIONS = 20;
const MAX_VALUES = 100;
const MAX_VALUE_CHARACTERS = 1_000;
const MAX_PATTERN_CHARACTERS = 200;
/** Instructions of a pattern: together with the length of values they bound the time of a match. */
const MAX_PATTERN_SIZE = 200;

function patternFault(pattern: string): string | undefined {
  try {
    const isTooLarge = RE2JS.compile(pattern).programSize() > MAX_PATTERN_SIZE;
    return isTooLarge ? 'must repeat less' : undefined;
  } catch (error) {
    return `must be a regular expression (RE2): ${(error as Error).message}`;
  }
}

const CONDITION = schemaOf({
  claim: atMostCharacters(MAX_VALUE_CHARACTERS, filledText()),
  values: orElse(
    atMostEntries(MAX_VALUES, listOf(atMostCharacters(MAX_VALUE_CHARACTERS, filledText()))),
    [],
  ),
  pattern: orNull(
    ruled(atMostCharacters(MAX_PATTERN_CHARACTERS, filledText()), patternFault),
    'any',
  ),
});

/** A condition on one claim: its text is one of the values, or matches the pattern as a whole. */
export type ClaimCondition = ValueOfSchema<typeof CONDITION>;

const choiceFault = ({ values, pattern }: ClaimCondition): string | undefined => {
  if (pattern !== null && values.length > 0) return 'must have values or a pattern, not both';
  return pattern === null && values.length === 0 ? 'must have values or a pattern' : undefined;
};

/** The conditions of a signer, as administrators write them. */
export const claimConditions = () =>
  orElse(atMostEntries(MAX_CONDITIONS, listOf(ruled(CONDITION, choiceFault))), []);

/** Whether the claims of a token meet a condition. Of a claim that is a list, one entry is enough. */
export function meetsCondition(
  claims: unknown,
  { claim, values, pattern }: ClaimCondition,
): boolean {
  const texts = claimTexts(claims, claim);
  if (pattern === null) return texts.some((text) => values.includes(text));
  return texts.some(
    (text) => text.length <= MAX_VALUE_CHARACTERS && compiled(pattern).matches(text),
  );
}

/** A second factor is judged with each request. */
const patterns = new LRUCache<string, RE2JS>({
  max: 100,
  memoMethod: (text) => RE2JS.compile(text),
});

const compiled = (pattern: string): RE2JS => patterns.memo(pattern);

/** The texts of a claim, which may be a list. Numbers and truth values count as their JSON. */
export function claimTexts(claims: unknown, claim: string): string[] {
  const value = valueAtPointer(claims, claimsPointer(claim));
  return (Array.isArray(value) ? value : [value])
    .filter((one) => ['string', 'number', 'boolean'].includes(typeof one))
    .map(String);
}
