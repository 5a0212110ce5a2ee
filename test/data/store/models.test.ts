import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { sql } from '../../../src/base/sql.js';
import { RequestScope } from '../../../src/kernel/request/request-scope.js';
import { Database } from '../../../src/data/store/database.js';
import type { ReadModels } from '../../../src/data/prisma/models.js';
import type { OpenTransaction } from '../../../src/data/store/open-transaction.js';
import { jsonValue, listValue } from '../../../src/data/prisma/model-values.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

/** Prisma's models on a connection whose transactions are the store's own. */

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createDatabase();
  database = new Database({ url: server.url, named: true, connections: 2 });
});
beforeEach(() => database.query(sql`delete from config_type`));
afterAll(async () => {
  await database.close();
  await server.drop();
});

const AT = new Date('2026-02-03T04:05:06.789Z');

const data = (id: string, more: object = {}) => ({
  ...{ id, name: `name of ${id}`, createdAt: AT, updatedAt: AT },
  ...more,
});

const create = (transaction: OpenTransaction, id: string, more: object = {}): Promise<unknown> =>
  transaction.model((models) =>
    models.configType.create({ data: data(id, more), select: { id: true } }),
  );

const ids = async (): Promise<string[]> =>
  (await database.query(sql<{ id: string }>`select id from config_type order by id`)).map(
    ({ id }) => id,
  );

const idsIn = async (transaction: OpenTransaction): Promise<string[]> =>
  (await transaction.query(sql<{ id: string }>`select id from config_type order by id`)).map(
    ({ id }) => id,
  );

describe('statements of a transaction', () => {
  test('have their effect in the order in which they are given', async () => {
    const transaction = await database.begin();
    const steps: Promise<unknown>[] = [
      create(transaction, 'a'),
      idsIn(transaction),
      create(transaction, 'b'),
      create(transaction, 'c'),
      idsIn(transaction),
      transaction.model((models) => models.configType.deleteMany({ where: { id: 'b' } })),
      idsIn(transaction),
      transaction.commit(sql`update config_type set target = 'last'`),
    ];
    const [, one, , , three, , two] = await Promise.all(steps);
    expect([one, three, two]).toStrictEqual([['a'], ['a', 'b', 'c'], ['a', 'c']]);
    expect(await database.query(sql`select distinct target from config_type`)).toStrictEqual([
      { target: 'last' },
    ]);
  });

  test('are all undone, also when the rollback comes before they are sent', async () => {
    const transaction = await database.begin();
    const created = create(transaction, 'a');
    await transaction.rollback();
    await created;
    expect(await ids()).toStrictEqual([]);
  });

  test('are not committed when the time of the request ends before they are sent', async () => {
    const scope = new RequestScope();
    const transaction = await database.begin(scope);
    const created = create(transaction, 'a');
    const committed = transaction.commit(sql`select 1`);
    scope.clientLeft();
    await expect(committed).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(created).rejects.toMatchObject({ code: '57014' });
    await transaction.rollback();
    expect(await ids()).toStrictEqual([]);
  });
});

describe('a call of a model', () => {
  test('that the database refuses has the error of the database', async () => {
    const transaction = await database.begin();
    await create(transaction, 'a');
    const again = create(transaction, 'a');
    await expect(again).rejects.toBeInstanceOf(pg.DatabaseError);
    await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'config_type_pkey' });
    await transaction.rollback();
  });

  test('that Prisma refuses sends nothing, and the transaction goes on', async () => {
    const transaction = await database.begin();
    const wrong = transaction.model((models) =>
      models.configType.create({ data: data('a', { name: 7 }), select: { id: true } }),
    );
    await expect(wrong).rejects.toThrow();
    await create(transaction, 'b');
    await transaction.commit();
    expect(await ids()).toStrictEqual(['b']);
  });

  test('is refused if it takes more than one statement, which others could come between', async () => {
    const transaction = await database.begin();
    const upserted = transaction.model((models) =>
      models.configType.upsert({
        where: { id: 'a' },
        create: data('b'),
        update: {},
        select: { id: true },
      }),
    );
    await expect(upserted).rejects.toThrow('a call of a model takes more than one statement');
    await transaction.rollback();
  });

  test('works on the next connection when the one before has broken', async () => {
    const transaction = await database.begin();
    await create(transaction, 'a');
    const broken = transaction.query(sql`select pg_terminate_backend(pg_backend_pid())`);
    await expect(broken).rejects.toThrow();
    await expect(create(transaction, 'b')).rejects.toThrow();
    await transaction.rollback();
    const next = await database.begin();
    await create(next, 'c');
    await next.commit();
    expect(await ids()).toStrictEqual(['c']);
  });
});

test('outside of a transaction a model sends one statement, which has its effect at once', async () => {
  const before = database.statements;
  await database.model((models) =>
    models.configType.upsert({
      where: { id: 'a' },
      create: data('a'),
      update: { name: 'not now' },
      select: { id: true },
    }),
  );
  const names = await database.model((models) =>
    models.configType.findMany({ where: { id: 'a' }, select: { name: true } }),
  );
  expect(names).toStrictEqual([{ name: 'name of a' }]);
  expect(database.statements - before).toBe(2);
});

describe('reads by a key at the same moment', () => {
  const keys = Array.from({ length: 40 }, (_, i) => `k${String(i)}`);
  // Prisma would join them to one statement, which belongs to none of the calls.
  const find = (id: string) => (models: ReadModels) =>
    models.configType.findUnique({ where: { id }, select: { id: true, name: true } });
  const expected = keys.map((id) => ({ id, name: `name of ${id}` }));

  beforeEach(async () => {
    for (const id of keys) {
      await database.model((models) =>
        models.configType.create({ data: data(id), select: { id: true } }),
      );
    }
  });

  test('have each their own row, on several connections', async () => {
    const read = await Promise.all(keys.map((id) => database.model(find(id))));
    expect(read).toStrictEqual(expected);
  });

  test('have each their own row, in one transaction', async () => {
    const transaction = await database.begin();
    const read = await Promise.all(keys.map((id) => transaction.model(find(id))));
    await transaction.rollback();
    expect(read).toStrictEqual(expected);
  });

  test('fail each by itself', async () => {
    const outcomes = await Promise.allSettled([
      database.model(find('k1')),
      database.model(find('nul \0')),
      database.model(find('k2')),
    ]);
    expect(outcomes).toMatchObject([
      { value: { id: 'k1' } },
      { reason: { code: 'COULD_NOT_VALIDATE' } },
      { value: { id: 'k2' } },
    ]);
  });
});

test('outside of a transaction a model is not sent when the request is over', async () => {
  const scope = new RequestScope();
  scope.clientLeft();
  const call = database.model(
    (models) => models.configType.create({ data: data('a'), select: { id: true } }),
    { scope },
  );
  await expect(call).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(await ids()).toStrictEqual([]);
});

test('a snapshot reads by models what it reads by statements', async () => {
  await database.model((models) =>
    models.configType.create({ data: data('a'), select: { id: true } }),
  );
  const snapshot = await database.snapshot();
  await snapshot.query(sql`select 1`);
  await database.query(sql`delete from config_type`);
  expect(
    await snapshot.model((models) => models.configType.findMany({ select: { id: true } })),
  ).toStrictEqual([{ id: 'a' }]);
  await snapshot.end();
});

test('a relation is read from both of its sides', async () => {
  const transaction = await database.begin();
  await create(transaction, 't');
  await transaction.model((models) =>
    models.config.create({
      data: { ...data('c'), configTypeId: 't', data: { port: 1 } },
      select: { id: true },
    }),
  );
  const select = { id: true, configType: { select: { name: true } } };
  const inverse = { configs: { select: { id: true, data: true } } };
  expect(
    await transaction.model((models) => models.config.findMany({ where: { id: 'c' }, select })),
  ).toStrictEqual([{ id: 'c', configType: { name: 'name of t' } }]);
  expect(
    await transaction.model((models) =>
      models.configType.findUnique({ where: { id: 't' }, select: inverse }),
    ),
  ).toStrictEqual({ configs: [{ id: 'c', data: { port: 1 } }] });
  await transaction.rollback();
});

describe('a value', () => {
  const stored = async (more: object): Promise<unknown> => {
    const transaction = await database.begin();
    await create(transaction, 'a', more);
    await transaction.commit();
    const [row] = await database.query(
      sql<object>`select created_at as "createdAt", schema, tags from config_type`,
    );
    return row;
  };

  test('of JSON is stored as it is, whatever its members are called', async () => {
    const tags = {
      $type: 'DateTime',
      value: 'x',
      nested: [{ $type: 'Raw', value: null }, 1.5, ''],
    };
    expect(await stored({ tags: jsonValue(tags), schema: jsonValue(null) })).toStrictEqual({
      createdAt: AT,
      schema: null,
      tags,
    });
  });

  test.each([[['b', 'a', 'b']], [[]]])('of a list is stored in its order: %j', async (roles) => {
    const transaction = await database.begin();
    await transaction.model((models) =>
      models.service.create({
        data: {
          ...data('s'),
          encryptionRequired: true,
          terminatorStrategy: 'smartrouting',
          roleAttributes: listValue(roles),
        },
        select: { id: true },
      }),
    );
    const rows = await transaction.query(sql`select role_attributes as roles from service`);
    expect(rows).toStrictEqual([{ roles }]);
    await transaction.rollback();
  });
});
