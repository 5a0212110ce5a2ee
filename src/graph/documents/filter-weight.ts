import { MOST_TERMS } from '../../filter/index.js';
import { isObject } from '../../base/row.js';

/*
 * What conditions add to the cost of a list, for each time that it is read: the database plans and
 * evaluates each of them.
 */

const COST_OF_TERM = 50;

/**
 * A condition on linked rows, on top of its terms: where the rows are linked by policies, the database
 * looks at pairs. The size of a whole link is known without, and costs no more than any term.
 */
const COST_OF_LINKED = 1_000;

/** A text value, which holds no operators; one without an end reaches to that of the filter. */
const TEXT = /"(?:[^"\\]|\\.)*(?:"|\\?$)/gs;

const OPERATOR = /[<>=]+|\b(?:in|between|i?contains|isempty)\b/gi;

/** A sub-query, or an attribute of linked rows as in `anyOf(services.name)`. */
const LINKED = /\bfrom\b|\b(?:any|all)of\(\s*[^()\s.]*\./gi;

/** Of a filter text, without reading it: too long or too many, it will be refused anyway. */
export function filterWeight(filter: string): number {
  const text = filter.replace(TEXT, '""');
  const terms = timesOf(OPERATOR, text) * COST_OF_TERM;
  return terms + timesOf(LINKED, text) * COST_OF_LINKED + countOf(text, ',');
}

function timesOf(pattern: RegExp, text: string): number {
  let times = 0;
  pattern.lastIndex = 0;
  while (times < MOST_TERMS && pattern.test(text)) times += 1;
  return times;
}

/** The clause that ends a filter, so that nothing of a text value or of a sub-query can be taken for it. */
const LIMIT = /(?:^|[^\w.-])limit\s+(none|-?\d+)\s*$/i;

/** The size of page that a filter text asks for itself; not a number where it has no end. */
export function filterLimit(text: string): number | undefined {
  const limit = LIMIT.exec(text)?.[1];
  return limit === undefined ? undefined : Number(limit);
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count += 1;
  return count;
}

const OF_LINKED: ReadonlySet<string> = new Set(['some', 'none']);

/** Levels of a typed condition; deeper ones are refused when it is read. */
const DEEPEST = 200;

/** Of a typed condition: its comparisons, and the elements of their lists. */
export function whereWeight(value: unknown, depth = 0): number {
  if (depth > DEEPEST) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, entry) => sum + 1 + whereWeight(entry, depth + 1), 0);
  }
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce<number>((sum, [name, member]) => {
    const isGroup = isObject(member) || (Array.isArray(member) && isObject(member[0]));
    const linked = OF_LINKED.has(name) ? COST_OF_LINKED : 0;
    return sum + (isGroup ? linked : COST_OF_TERM) + whereWeight(member, depth + 1);
  }, 0);
}
