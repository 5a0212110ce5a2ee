import { failure } from '../../base/errors.js';
import { FALSE, TRUE, and, composed, or, raw, sql } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import { compileOrder } from './compile-order.js';
import { comparisonSql } from './comparison-sql.js';
import type { Scalar } from './comparison-sql.js';
import type { Link, SymbolTable } from './filter-symbol.js';
import { findSymbol } from './find-symbol.js';
import type { FoundSymbol } from './find-symbol.js';
import { jsonMember } from './json-member.js';
import { pathText } from './predicate.js';
import type { Comparison, Path, Predicate, Query, SetArgument } from './predicate.js';

/** Limits of sub-selects in a filter: planning time grows with each, and steeply with their depth. */
const MAX_SUBSELECTS = 64;
const MAX_SUBSELECT_DEPTH = 8;

/** The rows of a part of the filter, and the number of sub-selects in the whole statement. */
interface Scope {
  readonly symbols: SymbolTable;
  readonly alias: string;
  readonly depth: number;
  readonly statement: { readonly root: string; subselects: number };
}

/**
 * The condition for a WHERE clause: true exactly for matching rows, false or null for others. Every
 * value is a parameter. Aliases of sub-selects start with `alias`.
 * @throws ApiError INVALID_FILTER: unknown name, types that can not be compared, misuse of a set.
 */
export function compilePredicate(predicate: Predicate, symbols: SymbolTable, alias: string): Sql {
  const statement = { root: alias, subselects: 0 };
  return composed(compile(predicate, { symbols, alias, depth: 0, statement }, false));
}

/** Negation moves down to the comparisons, since SQL's three-valued NOT is no complement. */
function compile(predicate: Predicate, scope: Scope, negated: boolean): Sql {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value === negated ? FALSE : TRUE;
    case 'not':
      return compile(predicate.term, scope, !negated);
    case 'isEmpty':
      return isEmpty(predicate.set, scope, negated);
    case 'compare':
      return compare(predicate, scope, negated);
    default: {
      const terms = predicate.terms.map((term) => compile(term, scope, negated));
      return (predicate.kind === 'and') === negated ? or(...terms) : and(...terms);
    }
  }
}

function compare(comparison: Comparison, scope: Scope, negated: boolean): Sql {
  const { operand } = comparison;
  switch (operand.kind) {
    case 'symbol':
      return comparisonSql(comparison, value(operand.path, scope), comparison.negated !== negated);
    case 'count':
      return comparisonSql(comparison, count(operand.set, scope), comparison.negated !== negated);
    case 'anyOf':
      return anyElement(comparison, operand.path, scope, { element: comparison.negated, negated });
    case 'allOf': {
      // "All match" means "none fails to match", so the empty set satisfies it.
      const failing = { element: !comparison.negated, negated: !negated };
      return anyElement(comparison, operand.path, scope, failing);
    }
  }
}

/** `element`: the comparison of an element is negated; `negated`: the whole condition is. */
interface Negation {
  readonly element: boolean;
  readonly negated: boolean;
}

function anyElement(comparison: Comparison, path: Path, scope: Scope, negation: Negation): Sql {
  const target = resolveSet(path, scope, comparison.operand.kind);
  if (target.kind === 'link') return anyLinked(comparison, target, scope, negation);
  const set = target.expression;
  const element = { type: 'string', expression: ELEMENT, nullable: true } as const;
  const matches = comparisonSql(comparison, element, negation.element);
  const overlap = negation.element ? undefined : overlapSign(comparison);
  if (!overlap) return exists(sql`unnest(${set}) as element(value)`, matches, negation.negated);
  // A GIN index on the array serves containment and overlap.
  const matchesSet = sql`${set} ${overlap} ${comparison.values.map((v) => String(v.value))}::text[]`;
  if (!negation.negated) return matchesSet;
  return target.nullable ? sql`(${matchesSet}) is not true` : sql`not (${matchesSet})`;
}

const ELEMENT = raw('element.value collate "C"');

function overlapSign({ operator, values }: Comparison): Sql | undefined {
  if (operator === 'eq') return raw('@>');
  return operator === 'in' && values.length > 0 ? raw('&&') : undefined;
}

function anyLinked(comparison: Comparison, target: Linked, scope: Scope, negation: Negation): Sql {
  const { inner, from, where } = join(target.link, scope);
  const field = value(target.field, inner);
  const matches = comparisonSql(comparison, field, negation.element);
  return exists(from, and(where, matches), negation.negated);
}

const exists = (from: Sql, where: Sql, negated: boolean): Sql =>
  negated
    ? sql`not exists (select 1 from ${from} where ${where})`
    : sql`exists (select 1 from ${from} where ${where})`;

function isEmpty(set: SetArgument, scope: Scope, negated: boolean): Sql {
  const target = resolveSet(set.path, scope, 'isEmpty');
  if (target.kind === 'link' && !isPaged(set.query) && !precomputedSize(target, set, scope)) {
    const { from, where } = matching(target, set, scope);
    return exists(from, where, !negated);
  }
  const size = count(set, scope).expression;
  return negated ? sql`${size} > 0` : sql`${size} = 0`;
}

/** The size of a set, or the number of matching linked rows (within its own skip and limit). */
function count(set: SetArgument, scope: Scope): Scalar {
  const target = resolveSet(set.path, scope, 'count');
  if (target.kind === 'set') {
    if (set.query) throw filterError(`symbol '${pathText(set.path)}' is not a linked entity set`);
    const expression = sql`coalesce(cardinality(${target.expression}), 0)`;
    return { type: 'int', expression, nullable: false };
  }
  const size = precomputedSize(target, set, scope);
  if (size) return { type: 'int', expression: size, nullable: false };
  const { from, where } = matching(target, set, scope);
  const rows = sql`${from} where ${where}`;
  const expression = isPaged(set.query)
    ? sql`(select count(*) from (select 1 from ${rows}${pageOf(set.query)}) as page)`
    : sql`(select count(*) from ${rows})`;
  return { type: 'int', expression, nullable: false };
}

/** The size of a whole link, if it is available without a sub-query. */
const precomputedSize = (target: Linked, { query }: SetArgument, scope: Scope): Sql | undefined =>
  target.field === IDS && isWhole(query) ? target.link.size?.(scope.alias) : undefined;

function isWhole(query: Query | undefined): boolean {
  if (!query) return true;
  const { predicate, sort } = query;
  const isTrue = !predicate || (predicate.kind === 'constant' && predicate.value);
  return isTrue && !sort && !isPaged(query);
}

/** The linked rows of a set argument. Their order is checked but has no effect on the count. */
function matching(target: Linked, { path, query }: SetArgument, scope: Scope): From {
  if (target.field !== IDS) {
    throw filterError(`symbol '${pathText(path)}' is not a linked entity set`);
  }
  const { inner, from, where } = join(target.link, scope);
  if (query?.sort) compileOrder(query.sort, inner.symbols, inner.alias);
  if (!query?.predicate) return { from, where };
  return { from, where: and(where, compile(query.predicate, inner, false)) };
}

interface From {
  readonly from: Sql;
  readonly where: Sql;
}

const isPaged = (query?: Query): query is Query =>
  query?.skip !== undefined || query?.limit !== undefined;

function pageOf({ skip = 0, limit = 'none' }: Query): Sql {
  const offset = skip > 0 ? sql` offset ${skip}::bigint` : raw('');
  return limit === 'none' || limit < 0 ? offset : sql` limit ${limit}::bigint${offset}`;
}

function join(link: Link, scope: Scope): From & { readonly inner: Scope } {
  const { statement } = scope;
  const depth = addSubselect(scope);
  const alias = `${statement.root}_${String(statement.subselects)}`;
  const inner = { symbols: link.symbols(), alias, depth, statement };
  return { ...link.rows(scope.alias, alias), inner };
}

/** Counts a sub-select and gives its depth. */
function addSubselect({ statement, depth: outerDepth }: Scope): number {
  statement.subselects += 1;
  const depth = outerDepth + 1;
  if (depth > MAX_SUBSELECT_DEPTH || statement.subselects > MAX_SUBSELECTS) {
    throw filterError(
      `more than ${String(MAX_SUBSELECTS)} sub-queries and conditions on linked entities, or ` +
        `nested more than ${String(MAX_SUBSELECT_DEPTH)} deep`,
    );
  }
  return depth;
}

interface Linked {
  readonly kind: 'link';
  readonly link: Link;
  readonly field: Path;
}

type SetTarget =
  Linked | { readonly kind: 'set'; readonly expression: Sql; readonly nullable: boolean };

/** A link by itself stands for the ids of its rows. */
const IDS: Path = ['id'];

function resolveSet(path: Path, scope: Scope, usedIn: string): SetTarget {
  const { symbol, rest } = resolve(path, scope.symbols);
  if (symbol.link) {
    return { kind: 'link', link: symbol.link, field: rest.length > 0 ? rest : IDS };
  }
  if (symbol.shape !== 'set' || !symbol.sql) {
    throw filterError(
      `symbol '${pathText(path)}' is not a set symbol but is used in set function ${usedIn}`,
    );
  }
  const { nullable = true } = symbol;
  return { kind: 'set', expression: symbol.sql(scope.alias), nullable };
}

function value(path: Path, scope: Scope): Scalar {
  const { symbol, rest } = resolve(path, scope.symbols);
  if (symbol.shape === 'set' || symbol.shape === 'link' || !symbol.sql) {
    throw filterError(
      `symbol '${pathText(path)}' is a set symbol but is used in non-set function context`,
    );
  }
  if (symbol.searchesOtherRows) addSubselect(scope);
  const { type, nullable = true, numbers } = symbol;
  const expression = symbol.sql(scope.alias);
  if (symbol.shape === 'value') return { type, expression, nullable, numbers };
  if (rest.length === 0) throw filterError(`symbol '${pathText(path)}' is a map and needs a key`);
  return { type: 'any', expression: jsonMember(expression, rest), nullable: true };
}

/** @throws ApiError INVALID_FILTER for an unknown name */
function resolve(path: Path, symbols: SymbolTable): FoundSymbol {
  const symbol = findSymbol(path, symbols);
  if (!symbol) throw filterError(`unknown symbol '${pathText(path)}'`);
  return symbol;
}

const filterError = (message: string): Error => failure('INVALID_FILTER', message);
