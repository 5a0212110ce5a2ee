import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { knownMigrations, migrate } from '../../../src/data/store/migrate.js';
import { createEmptyDatabase, openPool, type TestDatabase } from '../../support/database.js';

/** A database of the release before, with a log and a position in it, and a controller of then. */

let database: TestDatabase;
let pool: pg.Pool;
let folder: string;

const FIRST_NEW = '20261120050000_change_log';

beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = openPool(database.url, 2);
  folder = await mkdtemp(join(tmpdir(), 'overgraph-migrations-'));
  const older = (await knownMigrations()).filter((name) => name < FIRST_NEW);
  for (const name of older) {
    await cp(join('prisma', 'migrations', name), join(folder, name), { recursive: true });
  }
  await migrate(pool, folder);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

const log = (id: string, epoch: number, xid: number): Promise<unknown> =>
  pool.query(
    `insert into change (epoch, xid, at, entity_type, entity_id, operation, revision)
     values ($1, $2, now(), 'Config', $3, 'create', 1)`,
    [epoch, xid, id],
  );

/** In the order that readers of the release before go by. */
const inOldOrder = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    'select entity_id as id from change c where (c.epoch, c.xid, c.seq) > (0, 0, 0) order by c.epoch, c.xid, c.seq',
  );
  return rows.map(({ id }) => id);
};

const inNewOrder = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ id: string }>(
    'select c.entity_id as id from change c order by c.id',
  );
  return rows.map(({ id }) => id);
};

describe('a log of the release before', () => {
  test('is in the same order by ids, and its readers and writers go on', async () => {
    await log('third', 1, 300);
    await log('first', 1, 9);
    await log('second', 1, 10);
    await log('sixth', 10, 1);
    await log('fifth', 2, 1);
    await log('fourth', 1, 4_294_967_296);
    await pool.query(
      `insert into service_freshness_state (began_at, epoch, xid, seq) values (now(), 1, 300, 9223372036854775807)`,
    );
    await migrate(pool);
    const order = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];
    expect(await inOldOrder()).toStrictEqual(order);
    expect(await inNewOrder()).toStrictEqual(order);
    const { rows } = await pool.query<{ id: string }>(
      `select c.entity_id as id from change c where c.id > (select position from service_freshness_state) order by c.id`,
    );
    expect(rows.map(({ id }) => id)).toStrictEqual(['fourth', 'fifth', 'sixth']);
    await log('seventh', 10, 2);
    await pool.query('update service_freshness_state set epoch = 10, xid = 1, seq = 99');
    const after = await pool.query<{ id: string }>(
      `select entity_id as id from change where id > (select position from service_freshness_state)`,
    );
    expect(after.rows).toStrictEqual([{ id: 'seventh' }]);
    expect(await inOldOrder()).toStrictEqual([...order, 'seventh']);
  });
});
