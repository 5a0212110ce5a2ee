import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import type { Rows, Transaction } from '../../../src/kernel/request/store-port.js';
import { originOf } from '../../../src/kernel/write/write.js';
import { InProcess } from '../../support/in-process.js';

/** Rows that are asked again come from memory, and never outlive a write. */

let controller: InProcess;
let other: InProcess;
let id: string;

beforeAll(async () => {
  controller = await InProcess.start();
  other = await InProcess.start(controller);
});
beforeEach(async () => {
  id = await controller.create('Service', {
    name: 'before',
    encryptionRequired: true,
    roleAttributes: ['a'],
  });
});
afterEach(() => controller.graph(`mutation { deleteService(id: "${id}") }`));
afterAll(async () => {
  await other.stop();
  await controller.stop();
});

interface Named {
  id: string;
  name: string;
}

const asked = (of: InProcess = controller): Promise<Named[]> =>
  of.parts.store.rows(sql<Named>`select id, name from service where id = ${id}::text`);

/** The answer is kept once it was asked for twice. */
async function keep(of: InProcess = controller): Promise<void> {
  await asked(of);
  await asked(of);
}

const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = controller.parts.database.statements;
  await work();
  return controller.parts.database.statements - before;
};

const rename = (name: string): Promise<unknown> =>
  controller.read(`mutation { updateService(id: "${id}", input: { name: "${name}" }) { id } }`);

test('a statement that was asked twice takes no further one', async () => {
  await keep();
  expect(await statementsOf(() => asked())).toBe(0);
  expect(await asked()).toStrictEqual([{ id, name: 'before' }]);
});

test('a field that a caller sets is not seen by the next', async () => {
  await keep();
  const [first] = await asked();
  if (first) first.name = 'set';
  expect(await asked()).toStrictEqual([{ id, name: 'before' }]);
});

test('values inside of a row can not be changed', async () => {
  const attributes = () =>
    controller.parts.store.rows(
      sql<{
        attributes: string[];
      }>`select role_attributes as attributes from service where id = ${id}::text`,
    );
  await attributes();
  await attributes();
  const [row] = await attributes();
  expect(() => row?.attributes.push('b')).toThrow(TypeError);
});

describe('after a write', () => {
  test('of an entity, the answer is new', async () => {
    await keep();
    await rename('after');
    expect(await asked()).toStrictEqual([{ id, name: 'after' }]);
  });

  test('of a statement without a change record, the answer is new', async () => {
    await keep();
    await controller.parts.store.query(
      sql`update service set name = ${'bare'} where id = ${id}::text`,
    );
    expect(await asked()).toStrictEqual([{ id, name: 'bare' }]);
  });

  test('in a transaction by a statement of its own, the answer is new', async () => {
    await keep();
    await controller.parts.store.write(originOf(controller.ctx()), (tx) =>
      tx.query(sql`with changed as (update service set name = ${'bare'} where id = ${id}::text
        returning id) select id from changed`),
    );
    expect(await asked()).toStrictEqual([{ id, name: 'bare' }]);
  });

  const renameByModel = (rows: Rows): Promise<unknown> =>
    rows.writeModel((models) =>
      models.service.updateMany({ where: { id }, data: { name: 'bare' } }),
    );

  test('by a model, the answer is new', async () => {
    await keep();
    await renameByModel(controller.parts.store);
    expect(await asked()).toStrictEqual([{ id, name: 'bare' }]);
  });

  test('in a transaction by a model, the answer is new', async () => {
    await keep();
    await controller.parts.store.write(originOf(controller.ctx()), renameByModel);
    expect(await asked()).toStrictEqual([{ id, name: 'bare' }]);
  });

  test.each(['alone', 'with others'])(
    'of a deletion that nobody waits for before the commit, %s, nothing is left',
    async (how) => {
      await keep();
      const services = controller.catalog.resources.Service;
      const remove = async (tx: Transaction): Promise<void> => {
        await tx.lockRow(services, id);
        await tx.remove(services, [id]);
      };
      const entity = how === 'alone' ? undefined : { resource: services, id };
      await controller.parts.store.write(originOf(controller.ctx()), remove, entity);
      expect(await asked()).toStrictEqual([]);
    },
  );

  test('that is rolled back, the answer stays', async () => {
    await keep();
    const store = controller.parts.store;
    await expect(
      store.write(originOf(controller.ctx()), async (tx) => {
        await tx.query(sql`update service set name = ${'never'} where id = ${id}::text`);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await asked()).toStrictEqual([{ id, name: 'before' }]);
  });

  test('of a deletion, nothing is left', async () => {
    await keep();
    await controller.read(`mutation { deleteService(id: "${id}") }`);
    expect(await asked()).toStrictEqual([]);
  });

  test('of another controller, the answer is new once the change is delivered', async () => {
    await keep(other);
    await rename('after');
    const changes = await controller.parts.store.query(
      sql`select entity_type as resource, entity_id as id, operation, revision, before, after, at
        from change where entity_id = ${id}::text order by seq`,
    );
    await other.parts.store.deliver(changes as never);
    expect(await asked(other)).toStrictEqual([{ id, name: 'after' }]);
  });

  test('while the statement was running, the answer is not kept', async () => {
    await asked();
    const slow = sql<Named>`select id, name from service, (select pg_sleep(0.2)::text) s
      where id = ${id}::text`;
    const { store } = controller.parts;
    await store.rows(slow);
    const running = store.rows(slow);
    await rename('after');
    await running;
    expect(await store.rows(slow)).toMatchObject([{ name: 'after' }]);
  });
});

describe('an answer is not kept', () => {
  test.each([
    ['of the clock', 'select now()::text as at'],
    ['of the transaction', 'select transaction_timestamp()::text as at'],
    ['that locks', 'select id from service for key share'],
    ['of a table that is not in the change log', 'select name from lease'],
    ['of the change log', 'select count(*) from change'],
    ['of a function of the database', 'select change_horizon()'],
  ])('%s', async (_, text) => {
    const ask = (): Promise<unknown> =>
      controller.parts.store.rows({ render: () => ({ text, values: [] }) } as never);
    await ask();
    await ask();
    expect(await statementsOf(ask)).toBeGreaterThan(0);
  });

  test.each([
    ['that JSON can not hold', 7n],
    ['that JSON takes for null', Infinity],
    ['in bytes', Buffer.from('a')],
    ['that is long', 'x'.repeat(10_000)],
  ])('for a value %s', async (_, value) => {
    const ask = (): Promise<unknown> =>
      controller.parts.store.rows(
        sql<Named>`select id, name from service where ${value}::text = id`,
      );
    await ask();
    await ask();
    expect(await statementsOf(ask)).toBe(1);
  });

  test('for other values', async () => {
    await keep();
    const rows = await controller.parts.store.rows(
      sql<Named>`select id, name from service where id = ${'none'}::text`,
    );
    expect(rows).toStrictEqual([]);
  });
});
