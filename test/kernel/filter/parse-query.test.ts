import { describe, expect, test } from '@jest/globals';
import { parseQuery, parseSort } from '../../../src/kernel/filter/index.js';
import type { Predicate } from '../../../src/kernel/filter/index.js';
import { comparisonText, pathText } from '../../../src/kernel/filter/predicate.js';
import type { SetArgument } from '../../../src/kernel/filter/predicate.js';
import { ApiError } from '../../../src/base/errors.js';

const setText = ({ path, query }: SetArgument): string =>
  query
    ? `from ${pathText(path)} where ${query.predicate ? shape(query.predicate) : ''}`
    : pathText(path);

/** The tree as text with every group in brackets. */
function shape(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'constant':
      return String(predicate.value);
    case 'not':
      return `not{${shape(predicate.term)}}`;
    case 'isEmpty':
      return `isEmpty(${setText(predicate.set)})`;
    case 'compare':
      return comparisonText(predicate);
    default:
      return `${predicate.kind}{${predicate.terms.map(shape).join('; ')}}`;
  }
}

const parsed = (text: string): string => {
  const { predicate } = parseQuery(text);
  return predicate ? shape(predicate) : '';
};

function refusal(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

const reason = (run: () => unknown): string => {
  const { detail } = refusal(run);
  return detail?.kind === 'message' ? detail.message : '';
};

describe('grouping is right-greedy', () => {
  test.each([
    ['a and b or c', 'and{a = true; or{b = true; c = true}}'],
    ['a or b and c', 'or{a = true; and{b = true; c = true}}'],
    ['a and b and c', 'and{a = true; b = true; c = true}'],
    ['not a and b', 'not{and{a = true; b = true}}'],
    ['a and not b or c', 'and{a = true; not{or{b = true; c = true}}}'],
    ['not not a', 'not{not{a = true}}'],
    ['(a and b) or c', 'or{and{a = true; b = true}; c = true}'],
    ['(not a) and b', 'and{not{a = true}; b = true}'],
    ['a or (b) and ( c )', 'or{a = true; and{b = true; c = true}}'],
    [
      'name icontains "x" and anyOf(roles) = "a" or anyOf(roles) = "b"',
      'and{name icontains "x"; or{anyOf(roles) = "a"; anyOf(roles) = "b"}}',
    ],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });
});

describe('spelling', () => {
  test.each([
    ['  name  =  "x"  ', 'name = "x"'],
    ['name="x"', 'name = "x"'],
    ['\t\r\nname\n=\n"x"', 'name = "x"'],
    ['a AND b Or c', 'and{a = true; or{b = true; c = true}}'],
    ['NOT a', 'not{a = true}'],
    ['TRUE', 'true'],
    ['false', 'false'],
    ['name NOT CONTAINS 5', 'name not contains 5'],
    ['name not   contains "x"', 'name not contains "x"'],
    ['name not iContains "x"', 'name not icontains "x"'],
    ['anyOf(roles)contains "x"', 'anyOf(roles) contains "x"'],
    ['ANYOF( roles ) = "x"', 'anyOf(roles) = "x"'],
    ['allof(roles) != "x"', 'allOf(roles) != "x"'],
    ['count(roles)>=2', 'count(roles) >= 2'],
    ['isempty( roles )', 'isEmpty(roles)'],
    ['name in ["a", "b"]', 'name in ["a", "b"]'],
    ['name NOT IN [ "a" ,"b" ]', 'name not in ["a", "b"]'],
    ['cost in [1,2.5]', 'cost in [1, 2.5]'],
    ['cost between 1 and 5 and a', 'and{cost between 1 and 5; a = true}'],
    ['cost not  between -1 and 5e0', 'cost not between -1 and 5'],
    ['a = null or b != null', 'or{a = null; b != null}'],
    ['a = TRUE', 'a = true'],
    ['tags.limit = 1', 'tags.limit = 1'],
    ['tags.service-id = 1', 'tags.service-id = 1'],
    ['tags.v2._x = 1', 'tags.v2._x = 1'],
    ['_a1 = 1', '_a1 = 1'],
    ["tags.'my key'.'it''s' = 1", "tags.'my key'.'it''s' = 1"],
    ['datetime = 1', 'datetime = 1'],
    ['t < datetime( 2024-02-29T10:00:00.5+05:30 )', 't < datetime(2024-02-29T04:30:00.500000Z)'],
    ['t < datetime(2024-02-29t10:00:00z)', 't < datetime(2024-02-29T10:00:00.000000Z)'],
    [
      'not isEmpty(from places where title = "A" and anyOf(labels) = "b")',
      'not{isEmpty(from places where and{title = "A"; anyOf(labels) = "b"})}',
    ],
    ['cost = 9223372036854775807', 'cost = 9223372036854775807'],
    ['cost = 9223372036854775808', 'cost = 9223372036854776000'],
  ])('%j', (text, expected) => {
    expect(parsed(text)).toBe(expected);
  });

  test.each([
    [String.raw`"a\"b"`, 'a"b'],
    [String.raw`"a\\nb"`, String.raw`a\nb`],
    [String.raw`"\f\n\r\t\\"`, '\f\n\r\t\\'],
    ['"é 😀 \u2028"', 'é 😀 \u2028'],
    ['""', ''],
  ])('reads the string %s', (text, value) => {
    expect(parseQuery(`a = ${text}`).predicate).toMatchObject({ values: [{ value }] });
  });
});

describe('clauses', () => {
  const asc = (field: string) => ({ field, direction: 'asc' });
  test.each([
    ['', {}],
    ['  ', {}],
    ['limit 5', { limit: 5 }],
    ['limit none', { limit: 'none' }],
    ['LIMIT NONE', { limit: 'none' }],
    ['skip 3 limit -1', { skip: 3, limit: -1 }],
    ['sort by name', { sort: [asc('name')] }],
    [
      'Sort  By name  asc , cost DESC, tags.x skip 1',
      { sort: [asc('name'), { field: 'cost', direction: 'desc' }, asc('tags.x')], skip: 1 },
    ],
    ['skip 99999999999999999999', { skip: Number.MAX_SAFE_INTEGER }],
  ])('%j', (text, query) => {
    expect(parseQuery(text)).toEqual(query);
  });

  test('follow the filter in their order', () => {
    const query = parseQuery('true sort by name desc skip 5 limit 20');
    expect(query).toMatchObject({ sort: [{ direction: 'desc' }], skip: 5, limit: 20 });
  });

  test.each([
    ['name  asc', [asc('name')]],
    [' name,cost desc', [asc('name'), { field: 'cost', direction: 'desc' }]],
    ['', []],
  ])('the sort parameter %j is read', (text, terms) => {
    expect(parseSort(text)).toEqual(terms);
  });

  test.each(['name up', 'name,', 'asc', 'name limit 5', '"name"', 'a b'])(
    'the sort parameter %j is refused',
    (text) => {
      expect(refusal(() => parseSort(text)).code).toBe('INVALID_SORT_IDENTIFIER');
    },
  );
});

describe('refusals name the place', () => {
  test.each([
    ['name = ', '<EOF>', 1, 7],
    ['name == "x"', '=', 1, 6],
    ["name = 'x'", "'x'", 1, 7],
    ['name = "x', '"', 1, 7],
    ['name = "\\q"', '"', 1, 7],
    ['name = "a\u0001"', '"', 1, 7],
    ['name = x', 'x', 1, 7],
    ['(name = "x"', '<EOF>', 1, 11],
    ['name = "x")', ')', 1, 10],
    ['(a = 1)sort by a', 'sort', 1, 7],
    ['a = 1and b', 'and', 1, 5],
    ['(a)and (b)', 'and', 1, 3],
    ['(a) and(b)', '(', 1, 7],
    ['not(a)', '(', 1, 3],
    ['a and', '<EOF>', 1, 5],
    ['and a', 'and', 1, 0],
    ['a = 1\n  and ?', '?', 2, 6],
    ['"😀" = 1', '"😀"', 1, 0],
    ['a = "😀" ?', '?', 1, 8],
    ['a in []', ']', 1, 6],
    ['a in ["x", 1]', '1', 1, 11],
    ['a in [true]', 'true', 1, 6],
    ['a in["x"]', '[', 1, 4],
    ['a not  in ["x"]', 'in', 1, 7],
    ['anyOf(a)in ["x"]', 'in', 1, 8],
    ['a between "x" and "y"', '"x"', 1, 10],
    ['a between 1 and datetime(2024-01-01T00:00:00Z)', 'datetime(2024-01-01T00:00:00Z)', 1, 16],
    ['a icontains 5', '5', 1, 12],
    ['a contains"x"', '"x"', 1, 10],
    ['a < true', 'true', 1, 4],
    ['a < null', 'null', 1, 4],
    ['a = 01', '1', 1, 5],
    ['a = 1e999', '1e999', 1, 4],
    ['anyOf (a) = 1', '(', 1, 6],
    ['anyOf(a)', '<EOF>', 1, 8],
    ['isEmpty(a) = false', '=', 1, 11],
    ['noneOf(a) = 1', '(', 1, 6],
    ['a = datetime(2024-02-30T00:00:00Z)', 'datetime(2024-02-30T00:00:00Z)', 1, 4],
    ['a = datetime(2024-01-01T25:61:00Z)', 'datetime(2024-01-01T25:61:00Z)', 1, 4],
    ['a = datetime(0000-01-01T00:00:00Z)', 'datetime(0000-01-01T00:00:00Z)', 1, 4],
    ['a = datetime(2024-01-01T00:00:00)', 'datetime(2024-01-01T00:00:00)', 1, 4],
    ['a = Datetime(2024-01-01T00:00:00Z)', 'Datetime', 1, 4],
    ['a = datetime (2024-01-01T00:00:00Z)', 'datetime', 1, 4],
    ['limit 5 skip 3', 'skip', 1, 8],
    ['limit 1.5', '1.5', 1, 6],
    ['limit', '<EOF>', 1, 5],
    ['sort name', 'name', 1, 5],
    ['limit = 5', '=', 1, 6],
    ['tags. = 5', '.', 1, 4],
  ])('%j', (text, token, line, column) => {
    const [l, c] = [String(line), String(column)];
    expect(refusal(() => parseQuery(text)).code).toBe('INVALID_FILTER');
    expect(reason(() => parseQuery(text))).toMatch(
      `Unexpected symbol: "${token}" at line: ${l} column: ${c}. line: ${l}, column: ${c}, symbol: ${token}`,
    );
  });
});

describe('size', () => {
  test('a chain of one operator is one flat group', () => {
    const { predicate } = parseQuery(Array(256).fill('a=1').join(' or '));
    expect(predicate).toMatchObject({ kind: 'or' });
    expect(predicate?.kind === 'or' && predicate.terms.length).toBe(256);
  });

  test.each([
    ['comparisons', Array(257).fill('a=1').join(' or '), '256 terms'],
    ['constants', Array(257).fill('true').join(' and '), '256 terms'],
    ['empty sets', Array(257).fill('isEmpty(a)').join(' and '), '256 terms'],
    ['terms of all groups', Array(129).fill('(a or b)').join(' and '), '256 terms'],
    ['values', `a in [${Array(10_001).fill('1').join(',')}]`, '10000 values in lists'],
  ])('too many %s are refused', (_, text, limit) => {
    expect(refusal(() => parseQuery(text)).code).toBe('INVALID_FILTER');
    expect(reason(() => parseQuery(text))).toBe(`the filter has more than ${limit}`);
  });

  test.each([
    ['parentheses', '('.repeat(5000)],
    ['nots', 'not '.repeat(5000)],
    ['alternating operators', 'a and b or '.repeat(2000) + 'c'],
    ['sub-queries', 'isEmpty(from a where '.repeat(3000)],
  ])('too many nested %s are refused', (_, text) => {
    expect(reason(() => parseQuery(text))).toMatch(/nested more than 200 deep at line: 1 column/);
  });

  test('200 levels are read', () => {
    expect(parsed(`${'('.repeat(200)}a${')'.repeat(200)}`)).toBe('a = true');
  });

  test('a text above 64 KiB is refused', () => {
    const text = `a = "${'é'.repeat(32 * 1024)}"`;
    expect(reason(() => parseQuery(text))).toBe('the text is longer than 65536 bytes');
  });

  test('a name of many segments is refused', () => {
    expect(reason(() => parseQuery(`a${'.b'.repeat(32)} = 1`))).toMatch(/a shorter name/);
  });
});
