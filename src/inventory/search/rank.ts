import { foldCase } from './fold-case.js';
import type { SearchedText, TextReader } from './searched-texts.js';

/** How well an entity matches: lower is better. */
const RANK = {
  id: 0,
  name: 1,
  /** An external id, or a role with or without its sign. */
  exact: 2,
  nameBegins: 3,
  /** A word of the name begins with the text. */
  wordBegins: 4,
  nameContains: 5,
  contains: 6,
} as const;

/** The number of ranks. */
export const RANKS = 7;

/** Separates the texts of an entry. No stored text and no text of a search contains it. */
const BETWEEN = '\0';

/** A text to search for, in the forms in which entries are compared with it. */
export interface Sought {
  readonly text: string;
  /** The text at the end of another one. */
  readonly atEnd: string;
  /** The text as a whole, and as a role. */
  readonly wholes: readonly string[];
}

export function soughtOf(text: string): Sought {
  const folded = foldCase(text);
  const atEnd = folded + BETWEEN;
  return { text: folded, atEnd, wholes: ['', '#', '@'].map((sign) => BETWEEN + sign + atEnd) };
}

/** An entity in the memory of searches. */
export interface Entry {
  readonly id: string;
  /** As it is stored; empty if entities of the resource have no names. */
  readonly name: string;
  /**
   * Name, id, external ids, roles and tags in upper case, with `BETWEEN` after each: one text, since
   * most entries do not match.
   */
  readonly text: string;
  readonly tagsStart: number;
}

export function entryOf(id: string, read: TextReader, values: object): Entry {
  let name = '';
  const ids = [id];
  const tags: string[] = [];
  read(values, (by, text) => {
    if (by === 'NAME') name = text;
    else if (by === 'TAG') tags.push(text);
    else if (by !== 'ID') ids.push(text);
  });
  // Texts keep their lengths in upper case.
  const tagsStart = [name, ...ids].reduce((sum, { length }) => sum + length + 1, 0);
  return { id, name, text: foldCase([name, ...ids, ...tags, ''].join(BETWEEN)), tagsStart };
}

/** The rank of an entry; undefined if it does not match, or if its rank is not below `below`. */
export function rankOf(entry: Entry, sought: Sought, below: number): number | undefined {
  const first = entry.text.indexOf(sought.text);
  if (first < 0) return undefined;
  const inName =
    first < entry.name.length ? rankInName(entry, first, sought, below) : RANK.contains;
  const rank = Math.min(inName, rankInIds(entry, sought, below));
  return rank < below ? rank : undefined;
}

/*
 * These functions give the exact rank if it is below `below`: other ranks do not matter, and cost
 * more to tell apart.
 */

function rankInIds(
  { name, text, tagsStart }: Entry,
  { atEnd, wholes }: Sought,
  below: number,
): number {
  const start = name.length;
  if (!text.includes(atEnd, start)) return RANK.contains;
  const [whole = ''] = wholes;
  // The id comes first.
  if (text.startsWith(whole, start)) return RANK.id;
  if (below <= RANK.exact) return RANK.contains;
  const isWhole = wholes.some((each) => {
    const at = text.indexOf(each, start);
    return at >= 0 && at < tagsStart - 1;
  });
  return isWhole ? RANK.exact : RANK.contains;
}

function rankInName(
  { name: { length }, text }: Entry,
  first: number,
  sought: Sought,
  below: number,
): number {
  if (first === 0) return length === sought.text.length ? RANK.name : RANK.nameBegins;
  if (below <= RANK.wordBegins) return RANK.nameContains;
  for (let at = first; at > 0 && at < length; at = text.indexOf(sought.text, at + 1)) {
    if (beginsWord(text, at)) return RANK.wordBegins;
  }
  return RANK.nameContains;
}

const ASCII_LETTER = /[A-Z0-9]/;
const LETTER_BEFORE = /[\p{L}\p{M}\p{N}]$/u;

/** Whether the character before is neither a letter nor a digit. */
function beginsWord(name: string, at: number): boolean {
  const before = name.charAt(at - 1);
  return before < '\x80'
    ? !ASCII_LETTER.test(before)
    : !LETTER_BEFORE.test(name.slice(Math.max(0, at - 2), at));
}

/** The text of an entity that matches best, which gives the entity its rank. */
export function bestText(texts: readonly SearchedText[], sought: Sought): SearchedText | undefined {
  let best: { readonly rank: number; readonly text: SearchedText } | undefined;
  for (const text of texts) {
    const rank = rankOfText(text, sought);
    if (rank !== undefined && rank < (best?.rank ?? RANKS)) best = { rank, text };
  }
  return best?.text;
}

/** The rank of an entity that has this text alone. */
function rankOfText({ by, text }: SearchedText, sought: Sought): number | undefined {
  const id = by === 'ID' ? text : '';
  const visitText: TextReader = (_, visit) => {
    visit(by, text);
  };
  return rankOf(entryOf(id, visitText, {}), sought, RANKS);
}
