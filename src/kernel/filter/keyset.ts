import { failure } from '../../base/errors.js';
import { FALSE, and, join, or, raw, sql } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import { reverseOrder } from './compile-order.js';
import type { OrderTerm } from './order-term.js';
import { datetimeLiteral, numberLiteral } from './literal.js';

/**
 * The condition on rows strictly after the row with these sort values, in the order of the terms.
 * `values` has one entry per term: null, text, boolean, number or bigint (or its decimal text), and
 * for datetimes RFC 3339 text with all six fractional digits (a Date has only three and may skip or
 * repeat rows). They come from clients in cursors, so they are checked here.
 * @throws ApiError INVALID_PAGINATION for values that do not belong to the terms.
 */
export function keysetAfter(terms: readonly OrderTerm[], values: readonly unknown[]): Sql {
  if (values.length !== terms.length) throw badCursor();
  const keys = terms.map((term, i) => sortKey(term, values[i]));
  return isUniform(terms) ? afterRow(keys) : afterKeys(keys);
}

/** The condition on rows strictly before the row with these sort values, like `keysetAfter`. */
export const keysetBefore = (terms: readonly OrderTerm[], values: readonly unknown[]): Sql =>
  keysetAfter(reverseOrder(terms), values);

interface SortKey {
  readonly term: OrderTerm;
  /** Undefined if the value is missing. */
  readonly value: Sql | undefined;
}

const isUniform = (terms: readonly OrderTerm[]): boolean =>
  terms.every(({ nullable, direction }) => !nullable && direction === terms[0]?.direction);

/** A row comparison, which is one range of a b-tree index; it needs one direction and no nulls. */
function afterRow(keys: readonly SortKey[]): Sql {
  const sign = raw(keys[0]?.term.direction === 'desc' ? '<' : '>');
  const left = keys.map(({ term }) => term.expression);
  const right = keys.map(({ value }) => value ?? raw('null'));
  return keys.length === 1
    ? sql`${join(left, '')} ${sign} ${join(right, '')}`
    : sql`(${join(left, ', ')}) ${sign} (${join(right, ', ')})`;
}

/** For each key: equal in all keys before it, and after in this one. */
const afterKeys = (keys: readonly SortKey[]): Sql =>
  or(...keys.map((key, i) => and(...keys.slice(0, i).map(same), after(key))));

const same = ({ term, value }: SortKey): Sql =>
  value ? sql`${term.expression} = ${value}` : sql`${term.expression} is null`;

function after({ term, value }: SortKey): Sql {
  const { expression, direction, nullable } = term;
  if (direction === 'asc') {
    return value ? sql`${expression} > ${value}` : sql`${expression} is not null`;
  }
  if (!value) return FALSE;
  const smaller = sql`${expression} < ${value}`;
  return nullable ? sql`(${smaller} or ${expression} is null)` : smaller;
}

const CASTS: Readonly<Record<OrderTerm['type'], string>> = {
  string: 'text',
  int: 'bigint',
  float: 'double precision',
  bool: 'boolean',
  datetime: 'timestamptz',
  any: 'jsonb',
  numeric: 'numeric',
};

function sortKey(term: OrderTerm, value: unknown): SortKey {
  if (value === null) {
    if (!term.nullable) throw badCursor();
    return { term, value: undefined };
  }
  const text = sortText(term.type, value);
  if (text === undefined) throw badCursor();
  return { term, value: sql`${text}::${raw(CASTS[term.type])}` };
}

/** The text from which PostgreSQL reads the value; undefined if it has another type. */
const sortText = (type: OrderTerm['type'], value: unknown): string | undefined =>
  TEXTS[type](value);

const TEXTS: Readonly<Record<OrderTerm['type'], (value: unknown) => string | undefined>> = {
  string: (value) => (typeof value === 'string' && !value.includes('\0') ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  datetime: instantText,
  int: (value) => numberText('int', value),
  float: (value) => numberText('float', value),
  numeric: exactNumberText,
  any: () => undefined,
};

function instantText(value: unknown): string | undefined {
  const readable = typeof value === 'string' || value instanceof Date;
  const literal = readable ? datetimeLiteral(value) : undefined;
  return literal && String(literal.value);
}

const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function numberText(type: 'int' | 'float', value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : NUMERIC.has(typeof value) && String(value);
  const literal = text && DECIMAL.test(text) ? numberLiteral(text) : undefined;
  return literal && (type === 'float' || literal.kind === 'int')
    ? String(literal.value)
    : undefined;
}

/** More digits than a double or a 64-bit integer has, and an exponent that both have. */
const EXACT = /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/;

function exactNumberText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && EXACT.test(text) ? text : undefined;
}

const NUMERIC: ReadonlySet<string> = new Set(['number', 'bigint']);

const badCursor = (): Error =>
  failure('INVALID_PAGINATION', 'the cursor does not belong to this order');
