import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { storedAttributes, type Resource } from '../../../src/kernel/declare/resource.js';
import type { Transaction } from '../../../src/kernel/request/store-port.js';
import { checkInput } from '../../../src/kernel/write/check-input.js';
import { originOfController } from '../../../src/kernel/write/write.js';
import { catalog } from '../../../src/resources/index.js';
import { Database } from '../../../src/data/store/database.js';
import { ModelStore } from '../../../src/data/store/model-store.js';
import { SampleNetwork } from '../../rest/support/network.js';
import { startController, type TestController } from '../../support/controller.js';

/** A transaction knows the rows that it has locked: it need not read them again. */

let controller: TestController;
let network: SampleNetwork;
let database: Database;

beforeAll(async () => {
  controller = await startController();
  network = await new SampleNetwork(controller, catalog).build();
  database = new Database({ url: controller.databaseUrl, named: true, connections: 2 });
});
afterAll(async () => {
  await database.close();
  await controller.stop();
});

const NOW = new Date('2026-03-01T08:00:00.123Z');

/** Runs work in a transaction that leaves nothing. */
async function tried(work: (tx: Transaction) => Promise<void>): Promise<void> {
  const store = new ModelStore(database, catalog, 1);
  await store.rehearse(originOfController(NOW), work);
}

const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = database.statements;
  await work();
  return database.statements - before;
};

/** Values for all columns that an update can write. */
async function valuesFor(resource: Resource): Promise<object> {
  const names = new Set(storedAttributes(resource).map(({ name }) => name));
  const input = await network.input(resource, 'update');
  const checked = Object.entries(checkInput(resource, 'update', input));
  const values = Object.fromEntries(checked.filter(([name]) => names.has(name)));
  return { ...values, updatedAt: NOW, revision: 7 };
}

const changeable = [...catalog.all()].filter((resource) => resource.verbs.has('update'));

describe('a locked row', () => {
  test.each(changeable.map((resource) => ({ name: resource.name, resource })))(
    'of $name is after an update as the database gives it',
    async ({ resource }) => {
      const id = await network.create(resource.name);
      const values = await valuesFor(resource);
      await tried(async (tx) => {
        await tx.lockRow(resource, id);
        await tx.update(resource, id, values);
        const [row] = await tx.find(resource, { id });
        expect(row).toMatchObject({ id, revision: 7 });
        expect(await tx.lockRow(resource, id)).toStrictEqual(row);
      });
    },
  );

  test('is read once', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      await tx.lockRow(services, id);
      expect(await statementsOf(() => tx.lockRow(services, id))).toBe(0);
      expect(await statementsOf(() => tx.lockRow(services, 'another one'))).toBe(1);
    });
  });

  test('is read again after a statement that may have changed it', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      await tx.lockRow(services, id);
      await tx.query(sql`update service set name = 'renamed' where id = ${id}::text`);
      expect(await tx.lockRow(services, id)).toMatchObject({ id, name: 'renamed' });
    });
  });

  test('is read again after a model has written', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      await tx.lockRow(services, id);
      await tx.writeModel((models) =>
        models.service.updateMany({ where: { id }, data: { name: 'renamed' } }),
      );
      expect(await tx.lockRow(services, id)).toMatchObject({ id, name: 'renamed' });
    });
  });

  test('is known after a model has read', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      await tx.lockRow(services, id);
      await tx.readModel((models) => models.service.count({ where: { id } }));
      expect(await statementsOf(() => tx.lockRow(services, id))).toBe(0);
    });
  });

  test('is gone when the transaction deletes it', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      await tx.lockRow(services, id);
      await tx.remove(services, [id]);
      expect(await tx.lockRow(services, id)).toBeUndefined();
    });
  });

  test('of a table that two resources share is one of the resource that asks', async () => {
    const id = await network.create('EdgeRouter');
    const { EdgeRouter, TransitRouter } = catalog.resources;
    await tried(async (tx) => {
      const row = await tx.lockRow(EdgeRouter, id);
      expect(await tx.lockRow(TransitRouter, id)).not.toStrictEqual(row);
      await tx.update(TransitRouter, id, { name: 'renamed' });
      expect(await tx.lockRow(EdgeRouter, id)).toMatchObject({ name: 'renamed' });
    });
  });

  test('is a copy, which whoever reads it may change', async () => {
    const services = catalog.resources.Service;
    const id = await network.create('Service');
    await tried(async (tx) => {
      const row = await tx.lockRow(services, id);
      Object.assign(row ?? {}, { name: 'changed in memory' });
      expect(await tx.lockRow(services, id)).not.toMatchObject({ name: 'changed in memory' });
    });
  });
});
