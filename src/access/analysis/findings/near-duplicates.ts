import { EVERYBODY } from '../../../kernel/policy/index.js';

/** So many names with a common key are compared each with each. */
const MAX_EXACT = 200;
/** Of more names, each is compared with so many after it: thousands would otherwise be millions of pairs. */
const MAX_COMPARED = 25;

/**
 * Gives the pairs of names that probably mean the same. They differ only in case or separators, or
 * by one typing error (a letter more, less, other, or two exchanged) in one word of at least 4
 * letters. Words are runs of letters; numbers are never errors: `site-1` and `site-2` both stand.
 */
export function nearDuplicates(names: Iterable<string>): [string, string][] {
  const byKey = new Map<string, Set<string>>();
  for (const name of names) {
    for (const key of keysOf(name)) {
      const bucket = byKey.get(key);
      if (bucket) bucket.add(name);
      else byKey.set(key, new Set([name]));
    }
  }
  const pairs = new Map<string, [string, string]>();
  for (const bucket of byKey.values()) {
    const isLarge = bucket.size > MAX_EXACT;
    const candidates = isLarge ? [...bucket].sort() : [...bucket];
    const compared = isLarge ? MAX_COMPARED : candidates.length;
    candidates.forEach((name, i) => {
      for (const other of candidates.slice(i + 1, i + 1 + compared)) {
        const pair: [string, string] = name < other ? [name, other] : [other, name];
        if (areNearDuplicates(name, other)) pairs.set(JSON.stringify(pair), pair);
      }
    });
  }
  return [...pairs.values()];
}

/** The role `#all` means every entity and is no attribute, so no name is similar to it. */
const EVERYBODY_NAME = EVERYBODY.slice(1);

export function areNearDuplicates(a: string, b: string): boolean {
  if (a === b || [a, b].includes(EVERYBODY_NAME)) return false;
  if (withoutSeparators(a) === withoutSeparators(b)) return true;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.length !== right.length) return false;
  const [at, ...others] = left.flatMap((word, i) => (word === right[i] ? [] : [i]));
  if (at === undefined || others.length > 0) return false;
  return isTypingError(left[at] ?? '', right[at] ?? '');
}

const MIN_WORD_LENGTH = 4;

function isTypingError(a: string, b: string): boolean {
  const [left, right] = [Array.from(a), Array.from(b)];
  if (!isLong(left) || !isLong(right)) return false;
  let i = 0;
  while (i < left.length && left[i] === right[i]) i += 1;
  const rest = (word: readonly string[], skipped: number): string =>
    word.slice(i + skipped).join('');
  return (
    rest(left, 1) === rest(right, 0) ||
    rest(left, 0) === rest(right, 1) ||
    rest(left, 1) === rest(right, 1) ||
    (left[i] === right[i + 1] && left[i + 1] === right[i] && rest(left, 2) === rest(right, 2))
  );
}

const isLong = (word: readonly string[]): boolean =>
  word.length >= MIN_WORD_LENGTH && word.every((letter) => /\p{L}/u.test(letter));

/** Gives the runs of letters, of digits, and of other characters, in lower case. */
const wordsOf = (name: string): string[] =>
  name.toLowerCase().match(/\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu) ?? [];

/** Removes separators: all but letters and digits. A name of separators alone stays. */
function withoutSeparators(name: string): string {
  const lower = name.toLowerCase();
  return lower.replace(/[^\p{L}\p{N}]+/gu, '') || lower;
}

/** Near duplicates share at least one key. */
function keysOf(name: string): string[] {
  const words = wordsOf(name);
  const variants = words.flatMap((word, i) => {
    const letters = Array.from(word);
    if (!isLong(letters)) return [];
    return ['', ...letters].map((_, omitted) => {
      const shorter = letters.filter((__, j) => j !== omitted - 1).join('');
      return JSON.stringify([...words.slice(0, i), shorter, ...words.slice(i + 1)]);
    });
  });
  return [`squeezed ${withoutSeparators(name)}`, ...variants];
}
