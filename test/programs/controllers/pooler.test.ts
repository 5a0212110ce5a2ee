import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Database } from '../../../src/data/store/database.js';
import { startController, type TestController } from '../../support/controller.js';
import { createEmptyDatabase, openPool, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { TransactionPooler } from '../../support/transaction-pooler.js';

/** Two controllers whose only way to the database is a transaction pooler. */

let database: TestDatabase;
let pooler: TransactionPooler;
let first: TestController & { dataDir: string };
let second: TestController;

beforeAll(async () => {
  database = await createEmptyDatabase();
  pooler = await TransactionPooler.listen(database.url);
  const env = { OVERGRAPH_PG_STATEMENTS: 'unnamed', DATABASE_URL: pooler.url };
  first = await startController({ env });
  second = await startController({
    env,
    with: { databaseUrl: pooler.url, dataDir: first.dataDir },
  });
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await pooler.stop();
  await database.drop();
});

const total = async (on: TestController): Promise<number> =>
  (await on.rest('GET', '/services')).body.meta.pagination.totalCount;

const newService = (name: string): object => ({ name, encryptionRequired: true });

describe('behind a transaction pooler', () => {
  test('settings of sessions are refused, so that none may be asked for', async () => {
    const sessions = new Database({ url: pooler.url, named: true });
    const asked = sessions.pool.query('select 1');
    await expect(asked).rejects.toThrow('unsupported startup parameter: options');
    await sessions.close();
  });

  test('one controller shows what the other writes, by polling alone', async () => {
    const names = ['one', 'two', 'three', 'four'];
    for (const [i, name] of names.entries()) {
      const [writer, reader] = i % 2 === 0 ? [first, second] : [second, first];
      const before = await total(writer);
      await writer.create('services', newService(name));
      expect(await total(writer)).toBe(before + 1);
      await eventually(async () => {
        expect(await total(reader)).toBe(before + 1);
      });
    }
  });

  test('statements are bounded in time within a transaction', async () => {
    const pooled = new Database({ url: pooler.url, named: false });
    const snapshot = await pooled.snapshot();
    const settings = `select current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`;
    const [row] = await snapshot.query({ render: () => ({ text: settings, values: [] }) } as never);
    await snapshot.end();
    expect(row).toStrictEqual({ statement: '10s', idle: '1min', zone: 'UTC' });
    const { rows } = await pooled.pool.query(settings);
    expect(rows).toStrictEqual([{ statement: '0', idle: '0', zone: 'Asia/Tokyo' }]);
    await pooled.close();
  });

  test('times are those that were written, whatever the time zone of the server', async () => {
    const id = await first.create('services', newService('at a time'));
    const read = async (on: TestController): Promise<unknown> =>
      (await on.rest('GET', `/services/${id}`)).body.data;
    const { createdAt } = (await read(first)) as { createdAt: string };
    expect(Math.abs(Date.parse(createdAt) - Date.now())).toBeLessThan(60_000);
    await second.rest('PATCH', `/services/${id}`, { tags: { a: 'b' } });
    expect(await read(first)).toMatchObject({ createdAt });
  });

  test('long lists, and many requests at once, are served', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? first : second).rest('GET', '/config-types?filter=true%20limit%20none'),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([200]));
  });

  test('a session that ends on one is over on the other', async () => {
    const token = await first.login();
    const status = async (): Promise<number> =>
      (await second.rest('GET', '/current-api-session', undefined, { 'zt-session': token })).status;
    expect(await status()).toBe(200);
    await first.rest('DELETE', '/current-api-session', undefined, { 'zt-session': token });
    await eventually(async () => {
      expect(await status()).toBe(401);
    });
  });

  test('no session of the server is left with a lock, a transaction or a channel', async () => {
    const pool = openPool(database.url, 1);
    await eventually(async () => {
      const { rows } = await pool.query(
        `select (select count(*)::int from pg_locks l join pg_database d on d.oid = l.database
             where locktype = 'advisory' and datname = current_database()) as locks,
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and state like 'idle in%') as open,
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and query ilike 'listen%') as listening`,
      );
      expect(rows).toStrictEqual([{ locks: 0, open: 0, listening: 0 }]);
    });
    await pool.end();
  });
});
