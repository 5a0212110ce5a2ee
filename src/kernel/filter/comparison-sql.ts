import { failure } from '../../base/errors.js';
import { FALSE, TRUE, raw, sql } from '../../base/sql.js';
import type { Sql } from '../../base/sql.js';
import type { FilterSymbol, SymbolType } from './filter-symbol.js';
import type { Literal, LiteralKind } from './literal.js';
import { comparisonText } from './predicate.js';
import type { Comparison, Operator } from './predicate.js';
import { withoutNumbers } from './stored-numbers.js';

/** The left side of a comparison. */
export interface Scalar {
  readonly type: SymbolType;
  readonly expression: Sql;
  readonly nullable: boolean;
  readonly numbers?: FilterSymbol['numbers'] | undefined;
}

/** The PostgreSQL type in which the two sides are compared. */
type Domain = 'text' | 'bigint' | 'double precision' | 'numeric' | 'boolean' | 'timestamptz';

/**
 * SQL that is true exactly when the row matches. A positive comparison may be null instead of
 * false, so that indexes can serve it.
 * @throws ApiError INVALID_FILTER when the types can not be compared.
 */
export function comparisonSql(sent: Comparison, left: Scalar, negated: boolean): Sql {
  const comparison = withoutNumbers(sent, left.numbers);
  const { operator, values } = comparison;
  if (operator === 'isNull') return isNull(left, negated);
  const first = values[0];
  if (!first) return negated ? TRUE : FALSE;
  const domain = domainOf(left.type, operator, first.kind);
  if (!domain) throw mismatch(comparison, left.type);
  const expression = inDomain(left, domain);
  if (operator === 'eq') return equality(left, expression, parameter(domain, first, left), negated);
  const positive = positiveSql(operator, expression, domain, values, first);
  if (!negated) return positive;
  return left.nullable ? sql`(${positive}) is not true` : sql`not (${positive})`;
}

function isNull({ type, expression }: Scalar, negated: boolean): Sql {
  if (type === 'any') {
    const kind = sql`coalesce(jsonb_typeof(${expression}), 'null')`;
    return negated ? sql`${kind} <> 'null'` : sql`${kind} = 'null'`;
  }
  return negated ? sql`${expression} is not null` : sql`${expression} is null`;
}

function equality(left: Scalar, expression: Sql, value: Sql, negated: boolean): Sql {
  if (!negated) return sql`${expression} = ${value}`;
  return left.nullable
    ? sql`${expression} is distinct from ${value}`
    : sql`${expression} <> ${value}`;
}

const ORDER_SIGN = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

function positiveSql(
  operator: Exclude<Operator, 'isNull' | 'eq'>,
  left: Sql,
  domain: Domain,
  values: readonly Literal[],
  first: Literal,
): Sql {
  switch (operator) {
    case 'in':
      return sql`${left} = any(${values.map(plain)}::${raw(domain)}[])`;
    case 'between': {
      const upper = values[1] ?? first;
      return sql`(${left} >= ${cast(domain, first)} and ${left} < ${cast(domain, upper)})`;
    }
    case 'contains':
      return sql`${left} like ${containing(first)}::text`;
    case 'icontains':
      return sql`${upperCase(left)} like ${upperCase(sql`${containing(first)}::text`)}`;
    default:
      return sql`${left} ${raw(ORDER_SIGN[operator])} ${cast(domain, first)}`;
  }
}

// In the database's locale C, upper() maps only ASCII; this collation maps all of Unicode.
const upperCase = (text: Sql): Sql => sql`upper(${text} collate "pg_c_utf8")`;

/** The pattern for LIKE, which a trigram index can serve, unlike position(). */
const containing = (literal: Literal): string =>
  `%${plain(literal).replace(/[\\%_]/g, String.raw`\$&`)}%`;

const plain = (literal: Literal): string => String(literal.value);

const cast = (domain: Domain, literal: Literal): Sql => sql`${plain(literal)}::${raw(domain)}`;

function parameter(domain: Domain, literal: Literal, left: Scalar): Sql {
  if (literal.kind !== 'bool') return cast(domain, literal);
  const value = raw(plain(literal));
  return left.type === 'any' ? sql`'${value}'::jsonb` : value;
}

const TEXTUAL: ReadonlySet<SymbolType> = new Set<SymbolType>(['string', 'int', 'float', 'any']);

const DOMAINS: Readonly<Record<LiteralKind, Partial<Record<SymbolType, Domain>>>> = {
  string: { string: 'text', any: 'text' },
  int: { int: 'bigint', float: 'double precision', any: 'numeric' },
  float: { int: 'double precision', float: 'double precision', any: 'numeric' },
  bool: { bool: 'boolean', any: 'boolean' },
  datetime: { datetime: 'timestamptz', any: 'timestamptz' },
};

function domainOf(type: SymbolType, operator: Operator, kind: LiteralKind): Domain | undefined {
  const asText = operator === 'contains' || operator === 'icontains';
  if (asText || (operator === 'in' && kind === 'string')) {
    return TEXTUAL.has(type) ? 'text' : undefined;
  }
  return DOMAINS[kind][type];
}

function inDomain({ type, expression }: Scalar, domain: Domain): Sql {
  if (type === 'any') return jsonInDomain(expression, domain);
  if (domain === 'text' && type !== 'string') return sql`(${expression})::text`;
  if (domain === 'double precision' && type === 'int') {
    return sql`(${expression})::double precision`;
  }
  return expression;
}

// Matches RFC 3339: PostgreSQL would also accept "today" or "infinity".
const TIMESTAMP_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$';

/** Null for JSON of another kind: CASE guards every cast, so stored data cannot fail a statement. */
function jsonInDomain(json: Sql, domain: Domain): Sql {
  const text = sql`${json} #>> '{}'`;
  switch (domain) {
    case 'boolean':
      return json;
    case 'numeric':
      return sql`(case when jsonb_typeof(${json}) = 'number' then (${json})::numeric end)`;
    case 'timestamptz':
      return sql`(case when jsonb_typeof(${json}) = 'string'
        and ${text} ~ ${raw(`'${TIMESTAMP_PATTERN}'`)}
        and pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end)`;
    default:
      return sql`((case when jsonb_typeof(${json}) in ('object', 'array') then null
        else ${text} end) collate "C")`;
  }
}

function mismatch(comparison: Comparison, type: SymbolType): Error {
  const kind = comparison.values[0]?.kind ?? 'null';
  const right = comparison.operator === 'in' ? `${kind} array` : kind;
  return failure(
    'INVALID_FILTER',
    `operation ${comparisonText(comparison)} is not supported with operands types ${type}, ${right}`,
  );
}
