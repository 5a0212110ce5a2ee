/*
 * Upper case by the simple mapping of Unicode, one character for one, as `icontains` of the filter
 * language compares (`upper` with the collation `pg_c_utf8`).
 */

/**
 * Letters whose full upper case is two characters, and whose simple one is the title case, by their
 * lower case: Greek letters with an iota below.
 */
const TITLE_CASES: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x80 }, (_, i) => String.fromCodePoint(0x1f80 + i)).flatMap(
    (letter): [string, string][] => {
      const lower = letter.toLowerCase();
      return lower !== letter && lower.toUpperCase().length > 1 ? [[lower, letter]] : [];
    },
  ),
);

/** The text in upper case: texts that differ in case alone become equal. */
export function foldCase(text: string): string {
  const upper = text.toUpperCase();
  // A letter with a longer upper case, such as ß, is all that can differ.
  return upper.length === text.length ? upper : Array.from(text, foldCharacter).join('');
}

function foldCharacter(character: string): string {
  const upper = character.toUpperCase();
  return upper.length === character.length ? upper : (TITLE_CASES.get(character) ?? character);
}
