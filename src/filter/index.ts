export { compileOrder, orderBySql, reverseOrder } from './compile-order.js';
export type { OrderTerm } from './compile-order.js';
export { compilePredicate } from './compile-predicate.js';
export {
  DEFAULT_LIMIT,
  MAX_LIMIT,
  MAX_OFFSET,
  effectivePage,
  pageNumber,
} from './effective-page.js';
export type { Page, PageParameters } from './effective-page.js';
export { MOST_TERMS } from './filter-size.js';
export { symbolTable } from './filter-symbol.js';
export type { FilterSymbol, Link, SymbolTable, SymbolType } from './filter-symbol.js';
export { keysetAfter, keysetBefore } from './keyset.js';
export { parseQuery, parseSort } from './parse-query.js';
export type { Predicate, Query, SortTerm } from './predicate.js';
export { wherePredicate } from './where-predicate.js';
export type { WhereInput } from './where-predicate.js';
