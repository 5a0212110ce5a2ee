import { literalText } from './literal.js';
import type { Literal, LiteralKind } from './literal.js';

/**
 * The syntax tree both spellings (filter text and typed `where`) arrive at.
 * Negative operators (`!=`, `not in`, ...) are the positive one with `negated` set, because each of
 * them is the exact complement of its positive twin, missing values included.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'isEmpty'; readonly set: SetArgument }
  | Comparison;

export interface Comparison {
  readonly kind: 'compare';
  readonly operand: Operand;
  readonly operator: Operator;
  readonly negated: boolean;
  /** None for `isNull`, two for `between`, any number for `in`, one for the rest. */
  readonly values: readonly Literal[];
}

export type Operator =
  'isNull' | 'eq' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'between' | 'contains' | 'icontains';

/** A dotted name, one entry per segment: `tags.'my key'` is `['tags', 'my key']`. */
export type Path = readonly string[];

export type Operand =
  | { readonly kind: 'symbol' | 'anyOf' | 'allOf'; readonly path: Path }
  | { readonly kind: 'count'; readonly set: SetArgument };

/** A set, or with `query` the rows of a linked set that match it. */
export interface SetArgument {
  readonly path: Path;
  readonly query?: Query;
}

export interface SortTerm {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** A whole filter text: every part is optional. `limit` may be negative or above the maximum. */
export interface Query {
  readonly predicate?: Predicate;
  readonly sort?: readonly SortTerm[];
  readonly skip?: number;
  readonly limit?: number | 'none';
}

/** Kinds of literal an operator takes; what a field then accepts is decided by its type. */
export const LITERALS_OF: Readonly<Record<Operator, readonly LiteralKind[]>> = {
  isNull: [],
  eq: ['string', 'int', 'float', 'datetime', 'bool'],
  lt: ['string', 'int', 'float', 'datetime'],
  lte: ['string', 'int', 'float', 'datetime'],
  gt: ['string', 'int', 'float', 'datetime'],
  gte: ['string', 'int', 'float', 'datetime'],
  in: ['string', 'int', 'float', 'datetime'],
  between: ['int', 'float', 'datetime'],
  contains: ['string', 'int', 'float'],
  icontains: ['string'],
};

/** Deeper groups are refused, so that no later recursion (ours or PostgreSQL's) can run out of stack. */
export const MAX_DEPTH = 200;

/** Enough for every real key; more would only make name resolution slow. */
export const MAX_SEGMENTS = 32;

export const constant = (value: boolean): Predicate => ({ kind: 'constant', value });

/** A comparison in its one normal form: integers beside a fraction become doubles. */
export function comparison(
  operand: Operand,
  operator: Operator,
  negated: boolean,
  values: readonly Literal[],
): Comparison {
  const mixed = values.some(({ kind }) => kind === 'float');
  const even = mixed ? values.map(toFloat) : values;
  return { kind: 'compare', operand, operator, negated, values: even };
}

const toFloat = (literal: Literal): Literal =>
  literal.kind === 'int' ? { kind: 'float', value: Number(literal.value) } : literal;

/** The name as a client would write it. */
export const pathText = (path: Path): string =>
  path
    .map((segment) => (/^\w[\w-]*$/.test(segment) ? segment : `'${segment.replaceAll("'", "''")}'`))
    .join('.');

const SPELLING: Readonly<Record<Operator, readonly [positive: string, negative: string]>> = {
  isNull: ['= null', '!= null'],
  eq: ['=', '!='],
  lt: ['<', 'not <'],
  lte: ['<=', 'not <='],
  gt: ['>', 'not >'],
  gte: ['>=', 'not >='],
  in: ['in', 'not in'],
  between: ['between', 'not between'],
  contains: ['contains', 'not contains'],
  icontains: ['icontains', 'not icontains'],
};

/** The comparison for error messages, shortened when its list is long. */
export function comparisonText({ operand, operator, negated, values }: Comparison): string {
  const left =
    operand.kind === 'symbol'
      ? pathText(operand.path)
      : `${operand.kind}(${pathText(operand.kind === 'count' ? operand.set.path : operand.path)})`;
  const shown = values.slice(0, 5).map(literalText);
  const list = shown.join(operator === 'between' ? ' and ' : ', ');
  const more = values.length > shown.length ? ', ...' : '';
  const right = operator === 'in' ? `[${list}${more}]` : list;
  return `${left} ${SPELLING[operator][negated ? 1 : 0]} ${right}`.trimEnd();
}
