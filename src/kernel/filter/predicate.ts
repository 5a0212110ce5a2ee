import { literalText } from './literal.js';
import type { Literal, LiteralKind } from './literal.js';

/**
 * The syntax tree of both forms of a filter: the text and the typed `where`. A negative operator
 * (`!=`, `not in`, ...) is the positive one with `negated`, since it is its exact complement,
 * including missing values.
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
  /** None for `isNull`, two for `between`, any number for `in`, one for all others. */
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
  /** The member of the map `field`, if its name does not tell. */
  readonly key?: Path;
  readonly direction: 'asc' | 'desc';
}

/** A whole filter text: every part is optional. `limit` may be negative or above the maximum. */
export interface Query {
  readonly predicate?: Predicate;
  readonly sort?: readonly SortTerm[];
  readonly skip?: number;
  readonly limit?: number | 'none';
}

/** Kinds of literals that an operator accepts; the type of a field can allow fewer. */
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

/** Limit of nested groups, so that later recursion here and in PostgreSQL has enough stack. */
export const MAX_DEPTH = 200;

/** Limit of segments in a name: enough for real keys; more would make name resolution slow. */
export const MAX_SEGMENTS = 32;

export const constant = (value: boolean): Predicate => ({ kind: 'constant', value });

/** Makes a comparison in normal form: integers beside a fraction become doubles. */
export function comparison(
  operand: Operand,
  operator: Operator,
  negated: boolean,
  values: readonly Literal[],
): Comparison {
  const hasFloat = values.some(({ kind }) => kind === 'float');
  const normalized = hasFloat ? values.map(toFloat) : values;
  return { kind: 'compare', operand, operator, negated, values: normalized };
}

const toFloat = (literal: Literal): Literal =>
  literal.kind === 'int' ? { kind: 'float', value: Number(literal.value) } : literal;

/** The name in filter syntax. */
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
