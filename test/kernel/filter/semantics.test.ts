import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { compilePredicate, parseQuery } from '../../../src/kernel/filter/index.js';
import { ApiError } from '../../../src/base/errors.js';
import { Things, thing, thingSymbols } from './things.js';

const rows = [
  thing('full', {
    name: 'Straße_50% \\Éa',
    cost: 10,
    weight: 1.5,
    enabled: true,
    seenAt: '2024-05-01T10:00:00.123456Z',
    tags: {
      flag: true,
      n: 5,
      s: '5',
      site: 'Berlin',
      at: '2024-05-01T12:00:00+02:00',
      bad: '2024-02-30T00:00:00Z',
      deep: { er: { x: 1 } },
      'my key': 'v',
      nil: null,
    },
    roles: ['a', 'b'],
    places: [
      { id: 'p1', title: 'A', size: 3, labels: ['b'] },
      { id: 'p2', title: 'B', size: null, labels: [] },
    ],
  }),
  thing('other', {
    name: 'b',
    cost: -3,
    weight: 10,
    enabled: false,
    seenAt: '2023-01-01T00:00:00Z',
    tags: { flag: 'true', n: 7.5, site: 'paris', at: 'yesterday', deep: 'flat' },
    roles: ['b'],
    places: [{ id: 'p3', title: 'B', size: 4, labels: ['x', 'b'] }],
  }),
  thing('void'),
];

let things: Things;
beforeAll(async () => {
  things = await Things.open(rows);
});
afterAll(() => things.close());

async function matching(text: string): Promise<string> {
  const { predicate } = parseQuery(text);
  if (!predicate) throw new Error('no predicate');
  return (await things.matching(compilePredicate(predicate, thingSymbols, 't'))).join(' ');
}

const table = (cases: readonly (readonly [filter: string, ids: string])[]): void => {
  test.each(cases)('%s', async (filter, ids) => {
    expect(await matching(filter)).toBe(ids);
  });
  test.each(cases)('not (%s) is the exact complement', async (filter, ids) => {
    const rest = rows.map(({ id }) => id).filter((id) => !ids.split(' ').includes(id));
    expect(await matching(`not (${filter})`)).toBe(rest.join(' '));
  });
};

describe('missing values', () => {
  table([
    ['name = null', 'void'],
    ['name != null', 'full other'],
    ['name = "b"', 'other'],
    ['name != "b"', 'full void'],
    ['name < "zzz"', 'full other'],
    ['name >= ""', 'full other'],
    ['name in ["b"]', 'other'],
    ['name not in ["b"]', 'full void'],
    ['cost between -100 and 100', 'full other'],
    ['cost not between -5 and 0', 'full void'],
    ['name contains ""', 'full other'],
    ['name not contains "b"', 'full void'],
    ['name icontains ""', 'full other'],
    ['name not icontains "B"', 'full void'],
    ['enabled', 'full'],
    ['enabled = false', 'other'],
    ['enabled != true', 'other void'],
    ['seenAt = null', 'void'],
    ['tags.site = null', 'void'],
    ['tags.nil = null', 'full other void'],
    ['id != null', 'full other void'],
  ]);
});

describe('strings', () => {
  table([
    ['name < "a"', 'full'],
    ['name contains "_50%"', 'full'],
    ['name contains "a_5"', ''],
    [String.raw`name contains "\\"`, 'full'],
    [String.raw`name contains "% \\É"`, 'full'],
    ['name icontains "STRAßE"', 'full'],
    ['name icontains "éA"', 'full'],
    ['name contains 50', 'full'],
    ['name in ["b", "c"]', 'other'],
  ]);
});

describe('numbers', () => {
  table([
    ['cost = 10', 'full'],
    ['cost = 10.0', 'full'],
    ['cost > 9.5', 'full'],
    ['cost between -3 and 10', 'other'],
    ['cost in [10, -3.0]', 'full other'],
    ['cost in ["10"]', 'full'],
    ['cost contains 1', 'full'],
    ['cost contains "-"', 'other'],
    ['weight = 10', 'other'],
    ['weight >= 1.5', 'full other'],
    ['weight contains ".5"', 'full'],
    ['weight in ["1.5"]', 'full'],
    ['cost < 9223372036854775808', 'full other'],
    ['cost > -1e300', 'full other'],
  ]);
});

describe('datetimes', () => {
  table([
    ['seenAt = datetime(2024-05-01T12:00:00.123456+02:00)', 'full'],
    ['seenAt > datetime(2023-01-01T00:00:00Z)', 'full'],
    ['seenAt between datetime(2023-01-01T00:00:00Z) and datetime(2024-01-01T00:00:00Z)', 'other'],
    ['seenAt in [datetime(2023-01-01T00:00:00Z)]', 'other'],
    ['seenAt < datetime(9999-12-31T23:59:59Z)', 'full other'],
    ['seenAt > datetime(2024-01-01T00:00:00-23:59)', 'full'],
  ]);
});

describe('tags', () => {
  table([
    ['tags.flag = true', 'full'],
    ['tags.flag = "true"', 'full other'],
    ['tags.flag', 'full'],
    ['tags.n = 5', 'full'],
    ['tags.n = "5"', 'full'],
    ['tags.s = 5', ''],
    ['tags.s = "5"', 'full'],
    ['tags.n between 1 and 6', 'full'],
    ['tags.n >= 5.0', 'full other'],
    ['tags.n in [7.5, 8]', 'other'],
    ['tags.n contains 7', 'other'],
    ['tags.site < "a"', 'full'],
    ['tags.site icontains "PAR"', 'other'],
    ['tags.site in ["Berlin"]', 'full'],
    ['tags.site != "paris"', 'full void'],
    ['tags.at = datetime(2024-05-01T10:00:00Z)', 'full'],
    ['tags.at > datetime(2000-01-01T00:00:00Z)', 'full'],
    ['tags.bad > datetime(2000-01-01T00:00:00Z)', ''],
    ['tags.deep.er.x = 1', 'full'],
    ['tags.deep.er = null', 'other void'],
    ['tags.deep contains "er"', ''],
    ['tags.deep = "flat"', 'other'],
    ['tags.\'my key\' = "v"', 'full'],
  ]);
});

describe('sets and links', () => {
  table([
    ['anyOf(roles) = "a"', 'full'],
    ['anyOf(roles) != "b"', 'full'],
    ['anyOf(roles) in ["a", "c"]', 'full'],
    ['anyOf(roles) not in ["a"]', 'full other'],
    ['anyOf(roles) contains "b"', 'full other'],
    ['anyOf(roles) = null', ''],
    ['anyOf(roles) != null', 'full other'],
    ['allOf(roles) = "b"', 'other void'],
    ['allOf(roles) != "a"', 'other void'],
    ['allOf(roles) in ["a", "b"]', 'full other void'],
    ['count(roles) = 2', 'full'],
    ['count(roles) < 1.5', 'other void'],
    ['count(roles) between 1 and 2', 'other'],
    ['isEmpty(roles)', 'void'],
    ['anyOf(places) = "p3"', 'other'],
    ['anyOf(places) != "p1"', 'full other'],
    ['allOf(places) in ["p1", "p2"]', 'full void'],
    ['anyOf(places.title) = "A"', 'full'],
    ['allOf(places.size) > 2', 'other void'],
    ['count(places) = 2', 'full'],
    ['isEmpty(places)', 'void'],
    ['not isEmpty(from places where title = "A" and anyOf(labels) = "b")', 'full'],
    ['not isEmpty(from places where title = "B" and anyOf(labels) = "b")', 'other'],
    ['isEmpty(from places where size = null)', 'other void'],
    ['count(from places where title = "B") = 1', 'full other'],
    ['count(from places where title = "Z") = 0', 'full other void'],
    ['count(from places where true sort by title skip 1 limit 5) = 1', 'full'],
    ['count(from places where limit 1) = 1', 'full other'],
    ['isEmpty(from places where true skip 1)', 'other void'],
    ['isEmpty(from places where true limit 0)', 'full other void'],
    ['isEmpty(from places where limit none)', 'void'],
    ['not isEmpty(from places where not isEmpty(from thing where name = "b"))', 'other'],
  ]);
});

const REFUSALS: [filter: string, message: string][] = [
  ['nope = 1', "unknown symbol 'nope'"],
  ['id.x = 1', "unknown symbol 'id.x'"],
  ['__proto__ = 1', "unknown symbol '__proto__'"],
  ['tags = null', "symbol 'tags' is a map and needs a key"],
  ['roles = "a"', "symbol 'roles' is a set symbol but is used in non-set function context"],
  [
    'places.title = "a"',
    "symbol 'places.title' is a set symbol but is used in non-set function context",
  ],
  ['anyOf(name) = "a"', "symbol 'name' is not a set symbol but is used in set function anyOf"],
  ['count(name) = 1', "symbol 'name' is not a set symbol but is used in set function count"],
  ['isEmpty(name)', "symbol 'name' is not a set symbol but is used in set function isEmpty"],
  ['isEmpty(from roles where true)', "symbol 'roles' is not a linked entity set"],
  ['isEmpty(places.title)', "symbol 'places.title' is not a linked entity set"],
  ['isEmpty(from places where name = "x")', "unknown symbol 'name'"],
  [
    'enabled = "true"',
    'operation enabled = "true" is not supported with operands types bool, string',
  ],
  ['name', 'operation name = true is not supported with operands types string, bool'],
  [
    'seenAt between 1 and 2',
    'operation seenAt between 1 and 2 is not supported with operands types datetime, int',
  ],
  ['name = 5', 'operation name = 5 is not supported with operands types string, int'],
  ['name in [5]', 'operation name in [5] is not supported with operands types string, int array'],
  ['cost = "5"', 'operation cost = "5" is not supported with operands types int, string'],
  [
    'enabled contains 1',
    'operation enabled contains 1 is not supported with operands types bool, int',
  ],
  [
    'anyOf(roles) = 5',
    'operation anyOf(roles) = 5 is not supported with operands types string, int',
  ],
];

describe('refusals', () => {
  test.each(REFUSALS)('%s', (text, message) => {
    const run = (): unknown => {
      const { predicate } = parseQuery(text);
      return predicate && compilePredicate(predicate, thingSymbols, 't');
    };
    let found: unknown;
    try {
      run();
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(ApiError);
    expect(found).toMatchObject({ code: 'INVALID_FILTER', detail: { message } });
  });

  test.each([
    [
      'deeply nested',
      'not isEmpty(from places where not isEmpty(from thing where '.repeat(5),
      '))'.repeat(5),
    ],
    ['too many', Array(65).fill('anyOf(places) = "x"').join(' or '), ''],
  ])('%s sub-queries', (_, start, end) => {
    const { predicate } = parseQuery(end === '' ? start : `${start}true${end}`);
    expect(() => predicate && compilePredicate(predicate, thingSymbols, 't')).toThrow(ApiError);
  });

  test('count values that are found in another table', () => {
    const searched = (name: string) => {
      const symbol = thingSymbols.get(name);
      return symbol && { ...symbol, searchesOtherRows: name === 'enabled' };
    };
    const compile = (text: string) => () => {
      const { predicate } = parseQuery(text);
      return predicate && compilePredicate(predicate, { ...thingSymbols, get: searched }, 't');
    };
    const terms = (count: number): string => Array(count).fill('enabled').join(' or ');
    expect(compile(terms(64))).not.toThrow();
    const refused = expect.objectContaining({
      code: 'INVALID_FILTER',
      detail: expect.objectContaining({
        message:
          'more than 64 sub-queries and conditions on linked entities, or nested more than 8 deep',
      }),
    });
    expect(compile(terms(65))).toThrow(refused);
    expect(compile(`anyOf(places) = "x" or ${terms(64)}`)).toThrow(refused);
  });
});

describe('the SQL', () => {
  const compiled = (text: string): string => {
    const { predicate } = parseQuery(text);
    return predicate ? compilePredicate(predicate, thingSymbols, 't').render().text : '';
  };

  test.each([
    ['id = "x"', '"t"."id" = $1::text'],
    ['id != "x"', '"t"."id" <> $1::text'],
    ['not id = "x"', '"t"."id" <> $1::text'],
    ['name != "x"', '"t"."name" is distinct from $1::text'],
    ['cost > 5', '"t"."cost" > $1::bigint'],
    ['not cost > 5', '("t"."cost" > $1::bigint) is not true'],
    ['enabled', '"t"."enabled" = true'],
    ['id in ["a"]', '"t"."id" = any($1::text[])'],
    ['anyOf(roles) = "x"', '"t"."roles" @> $1::text[]'],
    ['anyOf(roles) in ["x"]', '"t"."roles" && $1::text[]'],
    ['true and id = "x"', '"t"."id" = $1::text'],
    ['not (id = "x" and true)', '"t"."id" <> $1::text'],
    ['false or true', 'true'],
  ])('of %s keeps a form that indexes serve', (text, expected) => {
    expect(compiled(text)).toBe(expected);
  });

  test('a chain of 256 terms and a list of 10,000 values run', async () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => String(i));
    const chain = numbers.slice(0, 256).map((n) => `cost=${n}`);
    expect(await matching(chain.join(' or '))).toBe('full');
    expect(await matching(`cost in [${numbers.join(',')}]`)).toBe('full');
  });

  test('200 levels of groups run', async () => {
    expect(await matching(`${'cost=1 or name="x" and '.repeat(99)} cost=10`)).toBe('');
  });
});
