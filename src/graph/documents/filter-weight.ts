import { MAX_TERMS } from '../../kernel/filter/index.js';
import { isObject } from '../../base/row.js';
import { LINKED_SETS, SEARCHED_VALUES } from './linked-names.js';

/*
 * The cost of the conditions of a list, for each time that the list is read: the database plans and
 * evaluates each condition.
 */

const COST_OF_TERM = 50;

/**
 * The extra cost of a condition on linked rows: where policies link the rows, the database evaluates
 * pairs; where a value is found in another table, it searches that table. The size of a whole link is
 * cached, and costs no more than any term.
 */
const COST_OF_LINKED = 1_000;

/** A text value, in which operators do not count; without a closing quote it ends with the filter. */
const TEXT = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

const OPERATOR = /[<>=]+|\b(?:in|between|i?contains|isempty)\b/gi;

const oneOf = (names: ReadonlySet<string>): string => `(?:${[...names].join('|')})`;

/**
 * A sub-query, linked entities or an attribute of them as in `anyOf(services.name)`, or a value that
 * is found in another table.
 */
const LINKED = new RegExp(
  String.raw`\bfrom\b|\b(?:any|all)of\(\s*(?:[^()\s.]*\.|${oneOf(LINKED_SETS)}\s*\))|\b${oneOf(SEARCHED_VALUES)}\b`,
  'gi',
);

/** Weighs a filter text without parsing it; a text with too much in it is refused later anyway. */
export function filterWeight(filter: string): number {
  const text = filter.replace(TEXT, '""');
  const terms = timesOf(OPERATOR, text) * COST_OF_TERM;
  return terms + timesOf(LINKED, text) * COST_OF_LINKED + countOf(text, ',');
}

function timesOf(pattern: RegExp, text: string): number {
  let times = 0;
  pattern.lastIndex = 0;
  while (times < MAX_TERMS && pattern.test(text)) times += 1;
  return times;
}

/** The clause that ends a filter; it can not match inside a text value or a sub-query. */
const LIMIT = /(?:^|[^\w.-])limit\s+(none|-?\d+)\s*$/i;

/** Gives the page size that a filter sets itself; NaN for `limit none`. */
export function filterLimit(text: string): number | undefined {
  const limit = LIMIT.exec(text)?.[1];
  return limit === undefined ? undefined : Number(limit);
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

/** Conditions on linked entities as a whole, and on their ids. */
const LINK_QUANTIFIERS: ReadonlySet<string> = new Set(['some', 'none']);
const ID_QUANTIFIERS = ['anyOf', 'allOf', 'noneOf'] as const;

/** Levels of a typed condition; deeper conditions are refused on parsing. */
const DEEPEST = 200;

/** Weighs a typed condition: its comparisons, and the elements of their lists. */
export function whereWeight(value: unknown, depth = 0): number {
  if (depth > DEEPEST) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, entry) => sum + 1 + whereWeight(entry, depth + 1), 0);
  }
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce<number>((sum, [name, member]) => {
    const isGroup = isObject(member) || (Array.isArray(member) && isObject(member[0]));
    const own = isGroup ? linkedTerms(name, member) * COST_OF_LINKED : COST_OF_TERM;
    return sum + own + whereWeight(member, depth + 1);
  }, 0);
}

/** The conditions on linked rows that a member makes itself. */
function linkedTerms(name: string, member: unknown): number {
  if (LINK_QUANTIFIERS.has(name)) return 1;
  if (SEARCHED_VALUES.has(name)) return membersOf(member).length;
  if (!LINKED_SETS.has(name) || !isObject(member)) return 0;
  return ID_QUANTIFIERS.reduce((sum, each) => sum + membersOf(member[each]).length, 0);
}

const membersOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);
