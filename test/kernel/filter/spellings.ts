import fc from 'fast-check';
import type { Predicate, WhereInput } from '../../../src/kernel/filter/index.js';
import { datetimeLiteral } from '../../../src/kernel/filter/literal.js';
import type { Literal } from '../../../src/kernel/filter/literal.js';
import { comparison, constant, pathText } from '../../../src/kernel/filter/predicate.js';
import type {
  Comparison,
  Operand,
  Operator,
  SetArgument,
} from '../../../src/kernel/filter/predicate.js';
import { thing } from './things.js';
import type { Place, Thing } from './things.js';

/** Few values, so that random predicates often meet random rows. */
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'b_%\\',
  'é',
  'É"\n',
  '1',
  '1.5',
  'true',
  '😀',
  '2024-01-01T00:00:00Z',
];
const INSTANTS = ['2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00', '2023-06-30T23:59:59.5Z'];
const NUMBERS = [-1, 0, 1, 1.5, 2, 12];

const text = fc.constantFrom(...TEXTS);
const nullable = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(values, { nil: null, freq: 4 });
const integer = fc.constantFrom(-1, 0, 1, 2, 12);
const number = fc.constantFrom(...NUMBERS);
const list = fc.uniqueArray(text, { maxLength: 3 });

const scalar = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(...INSTANTS),
);
const tags = fc.dictionary(
  fc.constantFrom('k', 'x-1', 'my key'),
  fc.oneof({ weight: 5, arbitrary: scalar }, fc.constant([1]), fc.record({ k: scalar })),
);

const place: fc.Arbitrary<Place> = fc.record({
  id: fc.constant(''),
  title: nullable(text),
  size: nullable(integer),
  labels: list,
});

/** Rows with ids of their own, as are those of their places. */
export const things: fc.Arbitrary<Thing[]> = fc
  .array(
    fc.record({
      name: nullable(text),
      cost: nullable(integer),
      weight: nullable(number),
      enabled: nullable(fc.boolean()),
      kind: nullable(fc.constantFrom('a', 'b', 'A', 'ab')),
      seenAt: nullable(fc.constantFrom(...INSTANTS)),
      tags,
      roles: list,
      places: fc.array(place, { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((rows) =>
    rows.map((row, i) =>
      thing(String(i), {
        ...row,
        places: row.places.map((own, j) => ({ ...own, id: `${String(i)}-${String(j)}` })),
      }),
    ),
  );

const string: fc.Arbitrary<Literal> = text.map((value) => ({ kind: 'string', value }));
const numeric: fc.Arbitrary<Literal> = number.map((value) =>
  Number.isInteger(value) ? { kind: 'int', value: BigInt(value) } : { kind: 'float', value },
);
const bool: fc.Arbitrary<Literal> = fc.boolean().map((value) => ({ kind: 'bool', value }));
const datetime: fc.Arbitrary<Literal> = fc
  .constantFrom(...INSTANTS)
  .map((value) => datetimeLiteral(value) ?? { kind: 'datetime', value });

type Family = 'string' | 'number' | 'enum' | 'bool' | 'datetime' | 'any';
const ORDER: readonly Operator[] = ['lt', 'lte', 'gt', 'gte'];

/** Operators and values that a field of the family takes. */
function condition(family: Family): fc.Arbitrary<[Operator, readonly Literal[]]> {
  const one = (operators: readonly Operator[], value: fc.Arbitrary<Literal>) =>
    fc.tuple(
      fc.constantFrom(...operators),
      value.map((literal) => [literal]),
    );
  const several = (value: fc.Arbitrary<Literal>) =>
    fc.tuple(fc.constant<Operator>('in'), fc.array(value, { minLength: 1, maxLength: 3 }));
  const range = (value: fc.Arbitrary<Literal>) =>
    fc.tuple(fc.constant<Operator>('between'), fc.tuple(value, value));
  const missing = fc.constant<[Operator, readonly Literal[]]>(['isNull', []]);
  const textual = fc.oneof(
    one(['contains'], fc.oneof(string, numeric)),
    one(['icontains'], string),
    several(string),
  );
  const ordered = (value: fc.Arbitrary<Literal>) =>
    fc.oneof(one(['eq', ...ORDER], value), several(value), range(value));
  switch (family) {
    case 'string':
      return fc.oneof(missing, textual, one(['eq', ...ORDER], string));
    case 'number':
      return fc.oneof(missing, textual, ordered(numeric));
    case 'enum':
      return fc.oneof(missing, textual, one(['eq', ...ORDER], string), ordered(numeric));
    case 'bool':
      return fc.oneof(missing, one(['eq'], bool));
    case 'datetime':
      return fc.oneof(missing, ordered(datetime));
    case 'any':
      return fc.oneof(
        missing,
        textual,
        one(['eq', ...ORDER], string),
        one(['eq'], bool),
        ordered(numeric),
        ordered(datetime),
      );
  }
}

function compare(operand: fc.Arbitrary<Operand>, family: Family): fc.Arbitrary<Comparison> {
  return fc
    .tuple(operand, condition(family), fc.boolean())
    .map(([left, [operator, values], negated]) =>
      comparison(left, operator, negated && !ORDER.includes(operator), values),
    );
}

const symbol = (...path: string[]): fc.Arbitrary<Operand> => fc.constant({ kind: 'symbol', path });
const element = (path: string): fc.Arbitrary<Operand> =>
  fc.constantFrom('anyOf', 'allOf').map((kind) => ({ kind, path: [path] }));

const tagPath = fc
  .constantFrom(['k'], ['x-1'], ['my key'], ['k', 'k'], ['none'])
  .map((path): Operand => ({ kind: 'symbol', path: ['tags', ...path] }));

function groups(leaf: fc.Arbitrary<Predicate>, maxDepth: number): fc.Arbitrary<Predicate> {
  return fc.letrec<{ tree: Predicate }>((tie) => ({
    tree: fc.oneof(
      { maxDepth, withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      fc.record({ kind: fc.constant('not' as const), term: tie('tree') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        terms: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  })).tree;
}

const placePredicate = groups(
  fc.oneof(
    compare(symbol('title'), 'string'),
    compare(symbol('size'), 'number'),
    compare(element('labels'), 'string'),
  ),
  1,
);

const places: fc.Arbitrary<SetArgument> = fc.oneof(
  fc.constant({ path: ['places'] }),
  placePredicate.map((predicate) => ({ path: ['places'], query: { predicate } })),
);
const sets = fc.oneof(places, fc.constant<SetArgument>({ path: ['roles'] }));

/** Predicates over things in the normal form of the parser. */
export const predicates: fc.Arbitrary<Predicate> = groups(
  fc.oneof(
    fc.boolean().map(constant),
    compare(symbol('name'), 'string'),
    compare(symbol('cost'), 'number'),
    compare(symbol('weight'), 'number'),
    compare(symbol('enabled'), 'bool'),
    { weight: 2, arbitrary: compare(symbol('kind'), 'enum') },
    compare(symbol('seenAt'), 'datetime'),
    { weight: 4, arbitrary: compare(tagPath, 'any') },
    { weight: 2, arbitrary: compare(element('roles'), 'string') },
    compare(element('places'), 'string'),
    compare(
      sets.map((set): Operand => ({ kind: 'count', set })),
      'number',
    ),
    sets.map((set): Predicate => ({ kind: 'isEmpty', set })),
  ),
  3,
);

/** The predicate as filter text. */
export function asText(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'constant':
      return String(predicate.value);
    case 'not':
      return `(not ${asText(predicate.term)})`;
    case 'and':
    case 'or':
      return `(${predicate.terms.map(asText).join(` ${predicate.kind} `)})`;
    case 'isEmpty':
      return `isEmpty(${setText(predicate.set)})`;
    case 'compare':
      return `${operandText(predicate.operand)} ${conditionText(predicate)}`;
  }
}

const setText = ({ path, query }: SetArgument): string =>
  query?.predicate ? `from ${pathText(path)} where ${asText(query.predicate)}` : pathText(path);

function operandText(operand: Operand): string {
  if (operand.kind === 'symbol') return pathText(operand.path);
  const argument = operand.kind === 'count' ? setText(operand.set) : pathText(operand.path);
  return `${operand.kind}(${argument})`;
}

const SIGNS: Partial<Record<Operator, string>> = { lt: '<', lte: '<=', gt: '>', gte: '>=' };

function conditionText({ operator, negated, values }: Comparison): string {
  const not = negated ? 'not ' : '';
  const shown = values.map(literalText);
  switch (operator) {
    case 'isNull':
      return negated ? '!= null' : '= null';
    case 'eq':
      return `${negated ? '!=' : '='} ${shown.join('')}`;
    case 'in':
      return `${not}in [${shown.join(', ')}]`;
    case 'between':
      return `${not}between ${shown.join(' and ')}`;
    default:
      return `${SIGNS[operator] ?? not + operator} ${shown.join('')}`;
  }
}

function literalText(literal: Literal): string {
  if (literal.kind === 'datetime') return `datetime(${literal.value})`;
  if (literal.kind === 'float' && Number.isInteger(literal.value))
    return `${String(literal.value)}.0`;
  return literal.kind === 'string' ? JSON.stringify(literal.value) : String(literal.value);
}

/** The predicate as a typed filter. */
export function asWhere(predicate: Predicate): WhereInput {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value ? { and: [] } : { or: [] };
    case 'not':
      return { not: asWhere(predicate.term) };
    case 'and':
    case 'or':
      return { [predicate.kind]: predicate.terms.map(asWhere) };
    case 'isEmpty':
      return setWhere(predicate.set);
    case 'compare':
      return comparisonWhere(predicate);
  }
}

const setWhere = ({ path, query }: SetArgument): WhereInput => ({
  [path.join('.')]: query?.predicate ? { none: asWhere(query.predicate) } : { isEmpty: true },
});

function comparisonWhere(compared: Comparison): WhereInput {
  const { operand } = compared;
  const operators = conditionWhere(compared);
  if (operand.kind === 'count') return { [operand.set.path.join('.')]: { count: operators } };
  const [field = '', ...key] = operand.path;
  if (operand.kind !== 'symbol') return { [field]: { [operand.kind]: operators } };
  return { [field]: key.length > 0 ? [{ key: key.join('.'), ...operators }] : operators };
}

const NEGATIVE: Partial<Record<Operator, string>> = {
  eq: 'ne',
  in: 'notIn',
  between: 'notBetween',
  contains: 'notContains',
  icontains: 'notIcontains',
};

function conditionWhere({ operator, negated, values }: Comparison): WhereInput {
  if (operator === 'isNull') return { isNull: !negated };
  const name = negated ? (NEGATIVE[operator] ?? operator) : operator;
  const plain = values.map(({ kind, value }) => (kind === 'datetime' ? new Date(value) : value));
  return { [name]: operator === 'in' || operator === 'between' ? plain : plain[0] };
}

/** Whether the typed spelling has a word for every part: it counts whole sets only. */
export function isTypable(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'not':
      return isTypable(predicate.term);
    case 'and':
    case 'or':
      return predicate.terms.every(isTypable);
    case 'compare':
      return predicate.operand.kind !== 'count' || predicate.operand.set.query === undefined;
    default:
      return true;
  }
}

const WORDS = (
  'name cost weight enabled seenAt tags.k tags roles places places.title id nope not and or ( ) [ ] , ' +
  'in between contains icontains = != < <= > >= null true false anyOf(roles) allOf(roles) anyOf( count( ' +
  'count(places) = isEmpty(roles) isEmpty( from where sort by skip limit none asc desc 1 -2.5 1e400 ' +
  '1e308 9223372036854775808 00 "a" "" "\\\\" ["x"] [1,2.5] datetime(2024-01-01T00:00:00Z) ' +
  "datetime(9999-12-31T23:59:59-23:59) datetime(0001-01-01T00:00:00+14:00) datetime( ' 'k'"
).split(' ');

/** Text made of the words of the language in no good order. */
export const wordSalads: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', ' ', ' ', '', '  ', '\n')), {
    maxLength: 14,
  })
  .map((words) => words.flat().join(''));
