import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bootstrap } from '../../../src/programs/controller/bootstrap.js';
import { catalog } from '../../../src/resources/index.js';
import { InProcess } from '../../support/in-process.js';

/** A network in use gets the built-in records that a release adds, and nothing that was deleted. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const rowsOf = async (table: string): Promise<unknown[]> => {
  const { rows } = await controller.parts.database.pool.query<{ row: object }>(
    `select to_jsonb(t) - 'created_at' - 'updated_at' as row from "${table}" t order by id`,
  );
  return rows.map(({ row }) => row);
};

const startAgain = (): Promise<unknown> =>
  bootstrap(
    controller.parts.store,
    catalog,
    { admin: { username: 'admin', password: 'unused' }, dataDir: controller.folder },
    new Date(),
  );

test.each([
  ['posture_check_type', 'MAC'],
  ['identity_type', 'Router'],
])('a start adds a record that %s lacks', async (table, id) => {
  const before = await rowsOf(table);
  await controller.parts.database.pool.query(`delete from "${table}" where id = $1`, [id]);
  await Promise.all([startAgain(), startAgain()]);
  expect(await rowsOf(table)).toStrictEqual(before);
});

test('a start brings no config type back', async () => {
  const before = await rowsOf('config_type');
  await controller.parts.database.pool.query(
    'delete from config_type where id = (select min(id) from config_type)',
  );
  await startAgain();
  expect(await rowsOf('config_type')).toStrictEqual(before.slice(1));
});

test('a start of a network that lacks nothing writes nothing', async () => {
  const { length } = await rowsOf('change');
  await startAgain();
  expect(await rowsOf('change')).toHaveLength(length);
});
