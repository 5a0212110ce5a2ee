import { EVERYBODY } from '../policy/index.js';

/**
 * Names that are probably meant to be one. They differ in case or in separators alone, or by one
 * typing error (a letter more, less, other, or two exchanged) in one word of at least 4 letters.
 * Words are runs of letters; numbers are never errors: `site-1` and `site-2` are meant.
 */
export function nearDuplicates(names: Iterable<string>): [string, string][] {
  const byKey = new Map<string, Set<string>>();
  for (const name of names) {
    for (const key of keysOf(name)) {
      const known = byKey.get(key);
      if (known) known.add(name);
      else byKey.set(key, new Set([name]));
    }
  }
  const found = new Map<string, [string, string]>();
  for (const bucket of byKey.values()) {
    const candidates = [...bucket];
    candidates.forEach((name, i) => {
      for (const other of candidates.slice(i + 1)) {
        const pair: [string, string] = name < other ? [name, other] : [other, name];
        if (areNearDuplicates(name, other)) found.set(JSON.stringify(pair), pair);
      }
    });
  }
  return [...found.values()];
}

/** The role `#all` is everybody, not an attribute: no name is a wrong spelling of it, nor it of one. */
const EVERYBODY_NAME = EVERYBODY.slice(1);

export function areNearDuplicates(a: string, b: string): boolean {
  if (a === b || [a, b].includes(EVERYBODY_NAME)) return false;
  if (squeezed(a) === squeezed(b)) return true;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.length !== right.length) return false;
  const [at, ...more] = left.flatMap((word, i) => (word === right[i] ? [] : [i]));
  if (at === undefined || more.length > 0) return false;
  return isTypingError(left[at] ?? '', right[at] ?? '');
}

const SHORTEST_WORD = 4;

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
  word.length >= SHORTEST_WORD && word.every((letter) => /\p{L}/u.test(letter));

/** Runs of letters, of digits, and of anything else, in lower case. */
const wordsOf = (name: string): string[] =>
  name.toLowerCase().match(/\p{L}+|\p{N}+|[^\p{L}\p{N}]+/gu) ?? [];

/** Separators are what is neither letter nor digit; a name of nothing else is left as it is. */
function squeezed(name: string): string {
  const lower = name.toLowerCase();
  return lower.replace(/[^\p{L}\p{N}]+/gu, '') || lower;
}

/** Near duplicates have a key in common. */
function keysOf(name: string): string[] {
  const words = wordsOf(name);
  const variants = words.flatMap((word, i) => {
    const letters = Array.from(word);
    if (!isLong(letters)) return [];
    return ['', ...letters].map((_, left) => {
      const shorter = letters.filter((__, j) => j !== left - 1).join('');
      return JSON.stringify([...words.slice(0, i), shorter, ...words.slice(i + 1)]);
    });
  });
  return [`squeezed ${squeezed(name)}`, ...variants];
}
