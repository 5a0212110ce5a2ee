import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  compileOrder,
  effectivePage,
  keysetAfter,
  keysetBefore,
  orderBySql,
  pageNumber,
  parseQuery,
  parseSort,
  reverseOrder,
  typedTerm,
} from '../../../src/kernel/filter/index.js';
import type { OrderTerm } from '../../../src/kernel/filter/index.js';
import { TRUE, join, sql } from '../../../src/base/sql.js';
import { pathText } from '../../../src/kernel/filter/predicate.js';
import { Things, thing, thingSymbols } from './things.js';

const rows = [
  thing('1', { name: 'b', cost: 1, enabled: true, seenAt: '2024-01-01T00:00:00.000001Z' }),
  thing('2', { name: 'B', cost: 1, enabled: false, seenAt: '2024-01-01T00:00:00.000002Z' }),
  thing('3', { name: 'é', cost: null, enabled: null, weight: 0.5 }),
  thing('4', { name: null, cost: 10, enabled: true, weight: -2 }),
  thing('5', { name: 'b', cost: null, enabled: false, weight: 1e300 }),
  thing('6', { name: null, cost: -7, seenAt: '2023-01-01T00:00:00Z' }),
];

let things: Things;
beforeAll(async () => {
  things = await Things.open(rows);
});
afterAll(() => things.close());

const order = (text: string): OrderTerm[] => compileOrder(parseSort(text), thingSymbols, 't');
const sorted = (text: string): Promise<string[]> => things.matching(TRUE, orderBySql(order(text)));

describe('order', () => {
  test.each([
    ['', '1 2 3 4 5 6'],
    ['id desc', '6 5 4 3 2 1'],
    ['id desc, name', '6 5 4 3 2 1'],
    ['name', '4 6 2 1 5 3'],
    ['name desc', '3 1 5 2 4 6'],
    ['enabled', '3 6 2 5 1 4'],
    ['enabled desc, cost desc', '4 1 2 5 6 3'],
    ['cost, id desc', '5 3 6 2 1 4'],
    ['cost, cost desc, name', '5 3 6 2 1 4'],
  ])('by %j', async (text, ids) => {
    expect((await sorted(text)).join(' ')).toBe(ids);
  });

  test.each([
    ['', '"t"."id" asc'],
    ['id desc, name', '"t"."id" desc'],
    ['name desc', '"t"."name" desc nulls last, "t"."id" asc'],
    ['cost', '"t"."cost" asc nulls first, "t"."id" asc'],
  ])('by %j compiles to what an index serves', (text, expected) => {
    expect(orderBySql(order(text)).render()).toEqual({ text: expected, values: [] });
  });

  test('by more than 16 terms is refused', () => {
    const terms = (count: number): string => Array(count).fill('name').join(', ');
    expect(orderBySql(order(terms(16))).render().text).toBe(
      '"t"."name" asc nulls first, "t"."id" asc',
    );
    expect(() => order(terms(17))).toThrow(
      expect.objectContaining({
        code: 'INVALID_SORT_IDENTIFIER',
        detail: { kind: 'message', message: 'there are 17 sort terms, at most 16 are allowed' },
      }),
    );
  });

  test.each(['nope', 'roles', 'tags', 'places', 'id, nope', 'places.title', 'name.x', 'tag.x'])(
    'by %s is refused',
    (text) => {
      expect(() => order(text)).toThrow(
        expect.objectContaining({ code: 'INVALID_SORT_IDENTIFIER', status: 400 }),
      );
    },
  );

  test('a symbol may opt out of order', () => {
    const symbols = { ...thingSymbols, get: (name: string) => symbol(name) };
    const symbol = (name: string) => {
      const found = thingSymbols.get(name);
      return found && { ...found, sortable: false };
    };
    expect(() => compileOrder([], symbols, 't')).toThrow();
  });
});

/** Values of a tag, each smaller than those of the next group; those of a group are equal. */
const TAG_VALUES: readonly (readonly unknown[])[] = [
  [undefined, null],
  [false],
  [true],
  [-1e300],
  [-2.5],
  [0, 0],
  [10],
  [9_007_199_254_740_991],
  [1e300],
  [''],
  ['10'],
  ['9'],
  ['B'],
  ['a', 'a'],
  ['é'],
  ['\uffff'],
  ['😀'],
  [['z'], { y: 1 }, []],
];

describe('the order by a tag', () => {
  const idOf = (group: number, n: number): string =>
    `${String(group).padStart(2, '0')}-${String(n)}`;
  const idsOf = (group: readonly unknown[], i: number): string[] => group.map((_, n) => idOf(i, n));
  const ascending = TAG_VALUES.flatMap(idsOf);
  const descending = TAG_VALUES.map(idsOf).reverse().flat();
  let tagged: Things;
  beforeAll(async () => {
    const all = TAG_VALUES.flatMap((group, i) =>
      group.map((x, n) => thing(idOf(i, n), { tags: x === undefined ? {} : { x, 'a b': { x } } })),
    );
    tagged = await Things.open(all.reverse());
  });
  afterAll(() => tagged.close());

  test.each([
    ['tags.x', ascending],
    ['tags.x desc', descending],
    ["tags.'a b'.x", ascending],
    ['tags.nothing, tags.x desc', descending],
    ['tags.x, tags.x desc', ascending],
    ['tags.x.y desc, id', ['17-1', ...ascending.filter((id) => id !== '17-1')]],
  ])('%s is that of its kinds and values', async (text, ids) => {
    const terms = order(text);
    expect(await tagged.matching(TRUE, orderBySql(terms))).toEqual(ids);
  });

  test.each(['tags.x', 'tags.x desc', 'tags.x desc, id desc', 'enabled, tags.x desc, name'])(
    'pages by %j meet each row once, forwards and backwards',
    async (text) => {
      await pagesMeetEachRow(tagged, order(text));
    },
  );

  test('counts as three terms', () => {
    const terms = (tags: number): string =>
      Array.from({ length: tags }, (_, i) => `tags.t${String(i)}`).join(', ');
    expect(order(terms(5))).toHaveLength(16);
    expect(() => order(terms(6))).toThrow(
      expect.objectContaining({
        detail: {
          kind: 'message',
          message:
            'there are 18 sort terms, at most 16 are allowed; a member of a map, such as a tag, counts as three',
        },
      }),
    );
  });

  test.each([
    ['site', ['tags', 'site']],
    ['a.b', ['tags', 'a', 'b']],
    ["'a.b'", ['tags', 'a.b']],
  ])('by the key %j is the same in typed orders', (key, path) => {
    const typed = compileOrder([typedTerm('tags', key, 'asc')], thingSymbols, 't');
    const text = compileOrder(parseSort(pathText(path)), thingSymbols, 't');
    expect(orderBySql(typed).render()).toEqual(orderBySql(text).render());
  });

  test.each([
    ['tags', ''],
    ['tags', 'a..b'],
    ['name', 'x'],
    ['tags', undefined],
  ])('of %s by the key %j is refused', (field, key) => {
    expect(() => compileOrder([typedTerm(field, key, 'asc')], thingSymbols, 't')).toThrow(
      expect.objectContaining({ code: 'INVALID_SORT_IDENTIFIER' }),
    );
  });

  test.each([
    ['a kind', ['text', 0, '', 'x']],
    ['a number', [2, 'ten', '', 'x']],
    ['a number beyond all that is stored', [2, '1e9999', '', 'x']],
    ['a text', [3, 0, 5, 'x']],
    ['a missing key', [0, 0, null, 'x']],
    ['three keys', [3, 0, 'x']],
  ])('refuses a cursor with %s that it can not have', (_, values) => {
    expect(() => keysetAfter(order('tags.x'), values)).toThrow(
      expect.objectContaining({ code: 'INVALID_PAGINATION' }),
    );
  });
});

const sortValues = (row: Record<string, unknown> | undefined): unknown[] => {
  if (!Array.isArray(row?.key)) throw new Error('no key');
  return row.key;
};

describe('keyset', () => {
  const orders = ['', 'id desc', 'name', 'name desc', 'enabled, cost desc', 'cost, id desc'].concat(
    ['weight desc', 'seenAt', 'seenAt desc, name'],
  );

  test.each(orders)('pages by %j meet each row once, forwards and backwards', async (text) => {
    await pagesMeetEachRow(things, order(text));
  });
});

/** Asks for the rows after and before each row. */
async function pagesMeetEachRow(of: Things, terms: readonly OrderTerm[]): Promise<void> {
  const all = await of.matching(TRUE, orderBySql(terms));
  const keys = terms.map(({ expression, type }) =>
    type === 'datetime'
      ? sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : expression,
  );
  const list = join(
    keys.map((key) => sql`to_jsonb(${key})`),
    ', ',
  );
  for (const [i, id] of all.entries()) {
    const [row] = await of.query(
      sql`select to_jsonb(array[${list}]) as key from thing as t where t.id = ${id}`,
    );
    const values = sortValues(row);
    const after = await of.matching(keysetAfter(terms, values), orderBySql(terms));
    const before = await of.matching(keysetBefore(terms, values), orderBySql(reverseOrder(terms)));
    expect(after).toEqual(all.slice(i + 1));
    expect(before).toEqual(all.slice(0, i).reverse());
  }
}

describe('the SQL of a keyset', () => {
  test.each([
    ['', ['x'], '"t"."id" > $1::text'],
    ['id desc', ['x'], '"t"."id" < $1::text'],
  ])('by %j is one range of an index', (text, values, expected) => {
    expect(keysetAfter(order(text), values).render().text).toBe(expected);
  });

  test('keys without missing values and of one direction compare as a row', () => {
    const terms = order('name').map((term) => ({ ...term, nullable: false }));
    expect(keysetAfter(terms, ['a', 'b']).render().text).toBe(
      '("t"."name", "t"."id") > ($1::text, $2::text)',
    );
  });

  test.each([
    ['', []],
    ['', ['a', 'b']],
    ['', [null]],
    ['', ['\0']],
    ['', [5]],
    ['cost', ['x', 'a']],
    ['cost', [1.5, 'a']],
    ['cost', [{}, 'a']],
    ['cost', ['99999999999999999999', 'a']],
    ['weight', [Infinity, 'a']],
    ['enabled', ['true', 'a']],
    ['seenAt', ['yesterday', 'a']],
    ['seenAt', [new Date(NaN), 'a']],
  ])('by %j refuses the values %j', (text, values) => {
    expect(() => keysetAfter(order(text), values)).toThrow(
      expect.objectContaining({ code: 'INVALID_PAGINATION' }),
    );
  });
});

describe('page', () => {
  test.each([
    [{}, '', { limit: 10, offset: 0 }],
    [{ limit: 0 }, '', { limit: 10, offset: 0 }],
    [{ limit: -2 }, '', { limit: 10, offset: 0 }],
    [{ limit: -1 }, '', { limit: 'none', offset: 0 }],
    [{ limit: 25 }, '', { limit: 25, offset: 0 }],
    [{ limit: 1000 }, '', { limit: 500, offset: 0 }],
    [{ offset: 5 }, '', { limit: 10, offset: 5 }],
    [{ offset: -5 }, '', { limit: 10, offset: 0 }],
    [{ offset: 200000 }, '', { limit: 10, offset: 100000 }],
    [{ limit: 25 }, 'limit none', { limit: 'none', offset: 0 }],
    [{ limit: 25 }, 'limit -1', { limit: 'none', offset: 0 }],
    [{ limit: 25, offset: 3 }, 'limit 7', { limit: 7, offset: 3 }],
    [{ limit: 25, offset: 3 }, 'skip 0', { limit: 25, offset: 0 }],
    [{}, 'skip 99999999999999999999 limit 99999999999999999999', { limit: 500, offset: 100000 }],
  ] as const)('of %j and %j', (parameters, text, page) => {
    expect(effectivePage(parameters, parseQuery(text))).toEqual(page);
  });

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['5', 5],
    ['-1', -1],
    ['+7', 7],
    ['007', 7],
  ])('the parameter %j is %j', (text, value) => {
    expect(pageNumber('limit', text)).toBe(value);
  });

  test.each(['x', '1.5', '1e3', ' 5', '0x10', '9223372036854775808', 'none'])(
    'the parameter %j is refused',
    (text) => {
      expect(() => pageNumber('offset', text)).toThrow(
        expect.objectContaining({ code: 'INVALID_PAGINATION' }),
      );
    },
  );
});
