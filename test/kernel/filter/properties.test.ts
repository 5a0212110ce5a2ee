import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compileOrder,
  compilePredicate,
  keysetAfter,
  orderBySql,
  parseQuery,
  parseSort,
  wherePredicate,
} from '../../../src/kernel/filter/index.js';
import type { Predicate, Query, WhereInput } from '../../../src/kernel/filter/index.js';
import { ApiError } from '../../../src/base/errors.js';
import { TRUE, join, sql } from '../../../src/base/sql.js';
import type { Sql } from '../../../src/base/sql.js';
import { compareBy, evaluate } from './evaluate.js';
import {
  asText,
  asWhere,
  isTypable,
  predicates,
  things as rowsOfThings,
  wordSalads,
} from './spellings.js';
import { Things, thingSymbols } from './things.js';
import { runs } from '../../support/runs.js';

let things: Things;
beforeAll(async () => {
  things = await Things.open();
});
afterAll(() => things.close());

const compiled = (predicate: Predicate): Sql => compilePredicate(predicate, thingSymbols, 't');

/** What it gives, or nothing when it is refused with a 400; any other error is a failure. */
function accepted<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

async function run(query: Query): Promise<void> {
  const where = accepted(() => (query.predicate ? compiled(query.predicate) : TRUE));
  const order = accepted(() => orderBySql(compileOrder(query.sort ?? [], thingSymbols, 't')));
  if (where && order) await things.matching(where, order);
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  wordSalads,
);

test('any text is a query that runs or is refused with a 400', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const query = accepted(() => parseQuery(text));
      accepted(() => parseSort(text));
      if (query) await run(query);
    }),
    runs(450),
  );
});

test('any string is safe as a value, a key and a sort value', async () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.double(),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
  );
  const fields = fc.constantFrom('name', 'cost', 'weight', 'enabled', 'seenAt', 'id');
  const operators = fc.constantFrom('eq', 'ne', 'lt', 'contains', 'notIcontains', 'in', 'between');
  const list = (operator: string, given: unknown): unknown =>
    operator === 'in' || operator === 'between' ? [given, given] : given;
  await fc.assert(
    fc.asyncProperty(fields, operators, value, fc.string(), async (field, operator, given, key) => {
      const operand = { [operator]: list(operator, given) };
      const inputs: WhereInput[] = [
        { [field]: operand },
        { tags: [{ key, ...operand }] },
        { tags: [{ key: String(given), eq: 'x' }] },
        { roles: { anyOf: operand, allOf: operand } },
      ];
      for (const input of inputs) {
        const predicate = accepted(() => wherePredicate(input, thingSymbols));
        if (predicate) await run({ predicate });
      }
      const order = compileOrder([{ field, direction: 'desc' }], thingSymbols, 't');
      const after = accepted(() => keysetAfter(order, order.length > 1 ? [given, 'x'] : [given]));
      if (after) await things.matching(after);
    }),
    runs(90),
  );
});

test('PostgreSQL and the definitions agree on random predicates over random rows', async () => {
  const several = fc.array(predicates, { minLength: 8, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rowsOfThings, several, async (rows, filters) => {
      await things.replace(rows);
      for (const predicate of filters) {
        const expected = rows.filter((row) => evaluate(predicate, row)).map(({ id }) => id);
        expect([asText(predicate), await things.matching(compiled(predicate))]).toEqual([
          asText(predicate),
          expected,
        ]);
        const rest = rows.map(({ id }) => id).filter((id) => !expected.includes(id));
        const opposite = compiled({ kind: 'not', term: predicate });
        expect(await things.matching(opposite)).toEqual(rest);
      }
    }),
    runs(30),
  );
});

test('PostgreSQL and the definitions agree on random orders of random rows, page by page', async () => {
  const paths = [
    ['name'],
    ['cost'],
    ['enabled'],
    ['tags', 'k'],
    ['tags', 'x-1'],
    ['tags', 'k', 'k'],
  ];
  const term = fc.record({
    path: fc.constantFrom(...paths),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
  });
  const terms = fc.uniqueArray(term, { maxLength: 3, selector: ({ path }) => path.join('.') });
  await fc.assert(
    fc.asyncProperty(rowsOfThings, terms, async (rows, sort) => {
      await things.replace(rows);
      const text = sort.map(({ path, direction }) => `${path.join('.')} ${direction}`).join(', ');
      const order = compileOrder(parseSort(text), thingSymbols, 't');
      const expected = rows.toSorted((a, b) => {
        const compared = sort.map((each) => ({ ...each, order: compareBy(each.path, a, b) }));
        const decisive = compared.find((each) => each.order !== 0);
        if (!decisive) return a.id < b.id ? -1 : 1;
        return decisive.direction === 'asc' ? decisive.order : -decisive.order;
      });
      const ids = expected.map(({ id }) => id);
      expect([text, await things.matching(TRUE, orderBySql(order))]).toEqual([text, ids]);
      const keys = order.map(({ expression }) => sql`to_jsonb(${expression})`);
      for (const [i, id] of ids.entries()) {
        const [row] = await things.query(
          sql`select to_jsonb(array[${join(keys, ', ')}]) as key from thing as t where t.id = ${id}`,
        );
        const rest = await things.matching(
          keysetAfter(order, row?.key as unknown[]),
          orderBySql(order),
        );
        expect([text, rest]).toEqual([text, ids.slice(i + 1)]);
      }
    }),
    runs(60),
  );
});

test('the text of a predicate parses to that predicate', () => {
  fc.assert(
    fc.property(predicates, (predicate) => {
      expect(parseQuery(asText(predicate))).toEqual({ predicate });
    }),
    runs(150),
  );
});

test('text and typed spelling of a predicate compile to the same SQL', () => {
  fc.assert(
    fc.property(predicates.filter(isTypable), (predicate) => {
      const { predicate: fromText } = parseQuery(asText(predicate));
      const fromWhere = wherePredicate(asWhere(predicate), thingSymbols);
      expect(compiled(fromWhere).render()).toEqual(fromText && compiled(fromText).render());
    }),
    runs(150),
  );
});
