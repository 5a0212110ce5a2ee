import { failure } from '../base/errors.js';
import { composed, join, raw, sql } from '../base/sql.js';
import type { Sql } from '../base/sql.js';
import type { FilterSymbol, SymbolTable, SymbolType } from './filter-symbol.js';
import type { SortTerm } from './predicate.js';

/** One key of the order of a list. */
export interface OrderTerm {
  readonly name: string;
  readonly expression: Sql;
  readonly direction: 'asc' | 'desc';
  readonly type: SymbolType;
  readonly nullable: boolean;
}

/**
 * The total order of a list: the requested terms up to the first `id`, which is appended ascending
 * if it is missing. Repeated names count once.
 * @throws ApiError INVALID_SORT_IDENTIFIER for a name that is unknown or has no order, or too many.
 */
export function compileOrder(
  terms: readonly SortTerm[],
  symbols: SymbolTable,
  alias: string,
): OrderTerm[] {
  refuseLong(terms);
  const order = new Map<string, OrderTerm>();
  for (const term of [...terms, { field: 'id', direction: 'asc' } as const]) {
    if (!order.has('id') && !order.has(term.field)) {
      order.set(term.field, orderTerm(term, symbols, alias));
    } else {
      sortable(term.field, symbols);
    }
  }
  const ordered = [...order.values()];
  if (terms.length === 0) return ordered;
  return ordered.map((term) => ({ ...term, expression: composed(term.expression) }));
}

/** Limits the terms, since the comparison with a cursor grows with their square. */
const MOST_TERMS = 16;

function refuseLong({ length }: readonly SortTerm[]): void {
  if (length <= MOST_TERMS) return;
  throw failure(
    'INVALID_SORT_IDENTIFIER',
    `there are ${String(length)} sort terms, at most ${String(MOST_TERMS)} are allowed`,
  );
}

function orderTerm({ field, direction }: SortTerm, symbols: SymbolTable, alias: string): OrderTerm {
  const { sql: expression, type, nullable = true } = sortable(field, symbols);
  return { name: field, expression: expression(alias), direction, type, nullable };
}

function sortable(
  field: string,
  symbols: SymbolTable,
): FilterSymbol & Required<Pick<FilterSymbol, 'sql'>> {
  const symbol = symbols.get(field);
  const hasOrder = symbol?.sortable ?? (symbol?.shape === 'value' && symbol.type !== 'any');
  if (!symbol?.sql || !hasOrder) {
    throw failure('INVALID_SORT_IDENTIFIER', `no such sort field: ${field}`);
  }
  return { ...symbol, sql: symbol.sql };
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
