import { describe, expect, test } from '@jest/globals';
import { compilePredicate, parseQuery, wherePredicate } from '../../../src/kernel/filter/index.js';
import type { WhereInput } from '../../../src/kernel/filter/index.js';
import { thingSymbols } from './things.js';

const ofWhere = (where: WhereInput) =>
  compilePredicate(wherePredicate(where, thingSymbols), thingSymbols, 't').render();

const ofText = (text: string) => {
  const { predicate } = parseQuery(text);
  if (!predicate) throw new Error('no predicate');
  return compilePredicate(predicate, thingSymbols, 't').render();
};

const PAIRS: [WhereInput, string][] = [
  [{}, 'true'],
  [{ or: [] }, 'false'],
  [{ name: { eq: 'x' } }, 'name = "x"'],
  [{ name: { ne: 'x' } }, 'name != "x"'],
  [{ name: { eq: null } }, 'name = null'],
  [{ name: { ne: null } }, 'name != null'],
  [{ name: { isNull: true } }, 'name = null'],
  [{ name: null }, 'true'],
  [{ name: null, cost: { gt: 1 }, and: null, or: null, not: null }, 'cost > 1'],
  [{ tags: null, roles: null, places: null }, 'true'],
  [{ roles: { anyOf: null, count: null, isEmpty: true } }, 'isEmpty(roles)'],
  [{ places: { none: null, some: { title: null } } }, 'not isEmpty(from places where true)'],
  [{ name: { isNull: false } }, 'name != null'],
  [{ name: { eq: undefined, gt: 'x' } }, 'name > "x"'],
  [{ cost: { gte: 1, lt: 5 } }, 'cost >= 1 and cost < 5'],
  [{ cost: { lte: 1.5 } }, 'cost <= 1.5'],
  [{ cost: { in: [1, 2.5] } }, 'cost in [1, 2.5]'],
  [{ cost: { in: ['1'] } }, 'cost in ["1"]'],
  [{ cost: { notIn: [1] } }, 'cost not in [1]'],
  [{ cost: { in: [] } }, 'false'],
  [{ cost: { notIn: [] } }, 'true'],
  [{ cost: { between: [1, 5] } }, 'cost between 1 and 5'],
  [{ cost: { notBetween: [1, 5] } }, 'cost not between 1 and 5'],
  [{ cost: { eq: 2n ** 63n - 1n } }, 'cost = 9223372036854775807'],
  [{ cost: { gt: 1e19 } }, 'cost > 10000000000000000000'],
  [{ name: { contains: '%', notContains: 'b' } }, 'name contains "%" and name not contains "b"'],
  [{ name: { icontains: 'x' } }, 'name icontains "x"'],
  [{ name: { notIcontains: 'x' } }, 'name not icontains "x"'],
  [{ enabled: { eq: true } }, 'enabled'],
  [{ seenAt: { gt: '2024-01-01T02:00:00+02:00' } }, 'seenAt > datetime(2024-01-01T00:00:00Z)'],
  [
    { seenAt: { in: [new Date('2024-01-01T00:00:00Z')] } },
    'seenAt in [datetime(2024-01-01T00:00:00.000Z)]',
  ],
  [{ name: { eq: 'a' }, cost: { eq: 1 } }, 'name = "a" and cost = 1'],
  [{ and: [{ name: { eq: 'a' } }, { cost: { eq: 1 } }] }, 'name = "a" and cost = 1'],
  [{ or: [{ name: { eq: 'a' } }, { cost: { eq: 1 } }] }, 'name = "a" or cost = 1'],
  [{ not: { name: { eq: 'a' }, cost: { eq: 1 } } }, 'not name = "a" and cost = 1'],
  [{ roles: { anyOf: { eq: 'a' } } }, 'anyOf(roles) = "a"'],
  [{ roles: { allOf: { in: ['a'] } } }, 'allOf(roles) in ["a"]'],
  [{ roles: { noneOf: { eq: 'a' } } }, 'not anyOf(roles) = "a"'],
  [
    { roles: { noneOf: { eq: 'a', contains: 'b' } } },
    '(not anyOf(roles) = "a") and (not anyOf(roles) contains "b")',
  ],
  [{ roles: { count: { gt: 2 } } }, 'count(roles) > 2'],
  [{ roles: { isEmpty: true } }, 'isEmpty(roles)'],
  [{ roles: { isEmpty: false } }, 'not isEmpty(roles)'],
  [{ places: { anyOf: { eq: 'p' } } }, 'anyOf(places) = "p"'],
  [{ places: { noneOf: { in: ['p'] } } }, 'not anyOf(places) in ["p"]'],
  [{ places: { count: { eq: 0 } } }, 'count(places) = 0'],
  [
    { places: { some: { title: { eq: 'A' }, labels: { anyOf: { eq: 'b' } } } } },
    'not isEmpty(from places where title = "A" and anyOf(labels) = "b")',
  ],
  [{ places: { none: { title: { eq: 'A' } } } }, 'isEmpty(from places where title = "A")'],
  [{ tags: [{ key: 'a.b', eq: 5 }] }, 'tags.a.b = 5'],
  [{ tags: { key: 'my key', eq: 'x' } }, 'tags.\'my key\' = "x"'],
  [{ tags: { key: "'a.b'", isNull: true } }, "tags.'a.b' = null"],
  [
    {
      tags: [
        { key: 'a', eq: true },
        { key: 'b', ne: 'x' },
      ],
    },
    'tags.a = true and tags.b != "x"',
  ],
  [{ tags: [{ key: 'a', gt: new Date(0) }] }, 'tags.a > datetime(1970-01-01T00:00:00Z)'],
];

test.each(PAIRS)('%j gives the SQL of %s', (where, text) => {
  expect(ofWhere(where)).toEqual(ofText(text));
});

test('256 comparisons and 10,000 values are not too many', () => {
  ofWhere({ or: Array(256).fill({ name: { eq: 'x' } }) });
  ofWhere({ name: { in: Array(10_000).fill('x') } });
});

test('members may have other names than symbols, in linked resources too', () => {
  const names = new Map([
    ['label', 'name'],
    ['heading', 'title'],
  ]);
  expect(
    wherePredicate({ places: { none: { heading: { eq: 'x' } } } }, thingSymbols, names),
  ).toEqual(parseQuery('isEmpty(from places where title = "x")').predicate);
  expect(wherePredicate({ label: { eq: 'x' } }, thingSymbols, names)).toEqual(
    parseQuery('name = "x"').predicate,
  );
});

describe('refuses', () => {
  const nested = (depth: number): WhereInput =>
    depth === 0 ? { name: { eq: 'x' } } : { not: nested(depth - 1) };

  test.each<[string, WhereInput]>([
    ['an unknown field', { nope: { eq: 1 } }],
    ['an inherited name', { constructor: { eq: 1 } }],
    ['an unknown operator', { name: { like: 'x' } }],
    ['a bare value', { name: 'x' }],
    ['a null order', { name: { gt: null } }],
    ['the NUL character', { name: { eq: 'a\0b' } }],
    ['infinity', { weight: { eq: Infinity } }],
    ['not a number', { weight: { eq: NaN } }],
    ['an object as value', { name: { eq: {} } }],
    ['a list as value', { name: { eq: ['x'] } }],
    ['in without a list', { name: { in: 'x' } }],
    ['in of mixed kinds', { tags: [{ key: 'a', in: ['x', 1] }] }],
    ['in of booleans', { tags: [{ key: 'a', in: [true] }] }],
    ['between of one', { cost: { between: [1] } }],
    ['between of strings', { name: { between: ['a', 'b'] } }],
    ['a bad date', { seenAt: { gt: '2024-13-01T00:00:00Z' } }],
    ['an invalid Date', { seenAt: { gt: new Date(NaN) } }],
    ['isNull of text', { name: { isNull: 'yes' } }],
    ['isEmpty of text', { roles: { isEmpty: 'yes' } }],
    ['and that is no list', { and: {} }],
    ['a set used as a value', { roles: { eq: 'x' } }],
    ['some on a set', { roles: { some: {} } }],
    ['a tag without a key', { tags: [{ eq: 1 }] }],
    ['a tag with an empty segment', { tags: [{ key: 'a..b', eq: 1 }] }],
    ['a tag key with NUL', { tags: [{ key: 'a\0', eq: 1 }] }],
    ['deep groups', nested(300)],
    ['too many comparisons', { or: Array(10_001).fill({ name: { eq: 'x' } }) }],
    ['257 comparisons', { or: Array(257).fill({ name: { eq: 'x' } }) }],
    ['257 conditions that a set is empty', { or: Array(257).fill({ roles: { isEmpty: true } }) }],
    ['257 groups that say nothing', { or: Array(257).fill({}) }],
    ['257 empty lists', { or: Array(257).fill({ or: [] }) }],
    ['257 members without a comparison', { or: Array(257).fill({ name: {} }) }],
    ['257 entries of a map without a comparison', { tags: Array(257).fill({ key: 'a' }) }],
    ['10,001 values', { name: { in: Array(10_001).fill('x') } }],
  ])('%s', (_, where) => {
    expect(() => ofWhere(where)).toThrow(
      expect.objectContaining({ code: 'INVALID_FILTER', status: 400 }),
    );
  });
});
