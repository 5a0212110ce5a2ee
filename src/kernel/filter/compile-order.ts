import { failure } from '../../base/errors.js';
import { composed, join, raw, sql } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import type { FilterSymbol, SymbolTable } from './filter-symbol.js';
import { findSymbol } from './find-symbol.js';
import type { FoundSymbol } from './find-symbol.js';
import { jsonMember, jsonOrder } from './json-member.js';
import { segments } from './lexer.js';
import { keyNeeded, readKey } from './map-key.js';
import type { OrderTerm } from './order-term.js';
import { pathText } from './predicate.js';
import type { Path, SortTerm } from './predicate.js';

/**
 * The total order of a list: the requested terms up to the first `id`, which is appended ascending
 * if it is missing. Repeated names count once. A member of a map, such as a tag, is several keys.
 * @throws ApiError INVALID_SORT_IDENTIFIER for a name that is unknown or has no order, or too many.
 */
export function compileOrder(
  terms: readonly SortTerm[],
  symbols: SymbolTable,
  alias: string,
): OrderTerm[] {
  refuseLong(terms.length);
  const order = new Map<string, OrderTerm[]>();
  for (const term of [...terms, { field: 'id', direction: 'asc' } as const]) {
    const path = pathOf(term);
    const name = pathText(path);
    const keys = keysOf({ path, name, direction: term.direction }, symbols, alias);
    if (!order.has('id') && !order.has(name)) order.set(name, keys);
  }
  const ordered = [...order.values()].flat();
  if (terms.length === 0) return ordered;
  refuseLong(ordered.length - 1, '; a member of a map, such as a tag, counts as three');
  return ordered.map((term) => ({ ...term, expression: composed(term.expression) }));
}

/** Limits the terms, since the comparison with a cursor grows with their square. */
const MAX_TERMS = 16;

function refuseLong(length: number, hint = ''): void {
  if (length <= MAX_TERMS) return;
  throw failure(
    'INVALID_SORT_IDENTIFIER',
    `there are ${String(length)} sort terms, at most ${String(MAX_TERMS)} are allowed${hint}`,
  );
}

const pathOf = ({ field, key = [] }: SortTerm): Path => [...segments(field), ...key];

interface NamedTerm extends Pick<OrderTerm, 'name' | 'direction'> {
  readonly path: Path;
}

function keysOf(term: NamedTerm, symbols: SymbolTable, alias: string): OrderTerm[] {
  const { symbol, rest } = sortable(term, symbols);
  const { type, nullable = true } = symbol;
  const expression = symbol.sql(alias);
  if (symbol.shape === 'map') return jsonOrder(jsonMember(expression, rest), term);
  const { name, direction } = term;
  return [{ name, expression, direction, type, nullable }];
}

interface Sortable extends FoundSymbol {
  readonly symbol: FilterSymbol & Required<Pick<FilterSymbol, 'sql'>>;
}

function sortable({ path, name }: NamedTerm, symbols: SymbolTable): Sortable {
  const { symbol, rest = [] } = findSymbol(path, symbols) ?? {};
  const hasOrder = symbol && (symbol.sortable ?? hasOrderByDefault(symbol));
  if (!hasOrder || !symbol.sql || (symbol.shape === 'map') !== rest.length > 0) {
    throw failure('INVALID_SORT_IDENTIFIER', `no such sort field: ${name}`);
  }
  return { symbol: { ...symbol, sql: symbol.sql }, rest };
}

const hasOrderByDefault = ({ shape, type }: FilterSymbol): boolean =>
  shape === 'map' || (shape === 'value' && type !== 'any');

/**
 * A term by the field of a typed order, and by the key of a member if the field is a map.
 * @throws ApiError INVALID_SORT_IDENTIFIER for a key that names no member
 */
export function typedTerm(
  field: string,
  key: string | undefined,
  direction: SortTerm['direction'],
): SortTerm {
  if (key === undefined) return { field, direction };
  const path = readKey(key);
  if (!path) throw failure('INVALID_SORT_IDENTIFIER', keyNeeded(field));
  return { field, key: path, direction };
}

/** Reverses an order, to read a page from its end. */
export const reverseOrder = (terms: readonly OrderTerm[]): OrderTerm[] =>
  terms.map((term) => ({ ...term, direction: term.direction === 'asc' ? 'desc' : 'asc' }));

/**
 * The SQL of ORDER BY. Missing values come first ascending and last descending. A key that is never
 * null has no `nulls` clause, so that a plain b-tree index can serve it.
 */
export const orderBySql = (terms: readonly OrderTerm[]): Sql =>
  join(
    terms.map(({ expression, direction, nullable }) => {
      const nulls = nullable ? ` nulls ${direction === 'asc' ? 'first' : 'last'}` : '';
      return sql`${expression} ${raw(direction + nulls)}`;
    }),
    ', ',
  );
