import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from '../../../src/base/sql.js';
import { Database } from '../../../src/data/store/database.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

/* How the database runs a named statement whose table has grown since the statement was planned. */

/** The server plans a statement anew each time until then. */
const RUNS_UNTIL_KEPT = 10;

let place: TestDatabase;
let database: Database;

beforeAll(async () => {
  place = await createDatabase();
  database = new Database({ url: place.url, named: true, connections: 1 });
  await database.pool.query('create table pet (id text primary key, name text not null)');
  await database.pool.query('create table toy (pet_id text not null)');
});
afterAll(async () => {
  await database.close();
  await place.drop();
});

async function runOften(find: ReturnType<typeof sql>): Promise<void> {
  for (let run = 0; run < RUNS_UNTIL_KEPT; run += 1) await database.query(find);
}

/** How often the server has read a table from end to end. */
async function fullReads(table: string): Promise<number> {
  await database.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await database.pool.query<{ count: string }>(
    'select seq_scan as count from pg_stat_user_tables where relname = $1',
    [table],
  );
  return Number(rows[0]?.count);
}

test('a row is found by its key in a table that was empty when the statement was planned', async () => {
  await database.pool.query('analyze pet');
  const find = sql`select name from pet where id = ${'7'}::text`;
  await runOften(find);
  await database.pool.query(
    `insert into pet select i, 'pet ' || i from generate_series(1, 5000) i`,
  );
  const before = await fullReads('pet');
  await runOften(find);
  expect(await fullReads('pet')).toBe(before);
});

test('also while its rows are written all the time', async () => {
  const find = sql`select name from pet where id = ${'7'}::text`;
  await database.pool.query('delete from pet where id::int > 50');
  await database.pool.query('vacuum analyze pet');
  await runOften(find);
  await database.pool.query(`update pet set name = 'renamed'`);
  const before = await fullReads('pet');
  await runOften(find);
  expect(await fullReads('pet')).toBe(before);
});

test('a statement without an index is not compiled, however costly it is taken to be', async () => {
  await database.pool.query('insert into toy select i from generate_series(1, 50) i');
  const rows = await database.query(sql`select pet_id from toy where pet_id = ${'7'}::text`);
  expect(rows).toEqual([{ pet_id: '7' }]);
  const [settings] = await database.query(sql`select current_setting('jit') as jit`);
  expect(settings).toEqual({ jit: 'off' });
});
