import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { Database } from '../../../src/data/store/database.js';
import { migrate } from '../../../src/data/store/migrate.js';
import { confirmKeys, openNetwork } from '../../../src/data/store/network-record.js';
import { StartError } from '../../../src/base/start-error.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

let server: TestDatabase;
let database: Database;
let pool: pg.Pool;

beforeAll(async () => {
  server = await createDatabase();
  database = new Database({ url: server.url, named: true, connections: 12 });
  ({ pool } = database);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const KEYS = { rootFingerprint: 'root', keyCheck: 'key', predecessors: [] };

describe('the network record', () => {
  beforeEach(() => pool.query('delete from network_record'));

  test('is made once, also by controllers that start together', async () => {
    const records = await Promise.all(Array.from({ length: 6 }, () => openNetwork(database, KEYS)));
    expect(new Set(records.map((r) => r.id)).size).toBe(1);
    expect(records.map((r) => r.epoch)).toStrictEqual(records.map(() => 1));
    const { rowCount } = await pool.query('select from network_record');
    expect(rowCount).toBe(1);
  });

  test('stays as it is from start to start', async () => {
    const first = await openNetwork(database, KEYS);
    expect(await openNetwork(database, KEYS)).toStrictEqual(first);
  });

  test.each([
    ['root certificate', { ...KEYS, rootFingerprint: 'other' }],
    ['secret key', { ...KEYS, keyCheck: 'other' }],
  ])('refuses another %s, and names the cure', async (what, keys) => {
    await openNetwork(database, KEYS);
    const refusal = await openNetwork(database, keys).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StartError);
    expect((refusal as Error).message).toMatch(new RegExp(`${what}[^\\n]*overgraph pki export`));
    expect((refusal as Error).message).not.toContain('\n');
    await expect(openNetwork(database, KEYS)).resolves.toMatchObject({ epoch: 1 });
  });

  test.each([
    ['at a start', openNetwork],
    ['in a running controller', confirmKeys],
  ])('follows a root that the recorded one vouched for, %s', async (_, take) => {
    await openNetwork(database, KEYS);
    const next = { ...KEYS, rootFingerprint: 'third', predecessors: ['second', 'root'] };
    await expect(take(database, { ...next, keyCheck: 'other' })).rejects.toThrow(/secret key/);
    await expect(take(database, { ...next, predecessors: ['second'] })).rejects.toThrow(
      /root cert/,
    );
    await openNetwork(database, KEYS);
    await Promise.all([take(database, next), take(database, next)]);
    await take(database, next);
    // There is no way back to what was succeeded.
    await expect(take(database, KEYS)).rejects.toThrow(/root certificate/);
  });

  test('raises the epoch when the database has moved to another server, once', async () => {
    const { id } = await openNetwork(database, KEYS);
    await pool.query("update network_record set system_identifier = 'another server'");
    const moved = await Promise.all([openNetwork(database, KEYS), openNetwork(database, KEYS)]);
    expect(moved).toStrictEqual([
      { id, epoch: 2 },
      { id, epoch: 2 },
    ]);
    expect(await openNetwork(database, KEYS)).toStrictEqual({ id, epoch: 2 });
  });

  test('a refused controller raises nothing', async () => {
    await openNetwork(database, KEYS);
    await pool.query("update network_record set system_identifier = 'another server'");
    await openNetwork(database, { ...KEYS, keyCheck: 'other' }).catch(() => undefined);
    const { rows } = await pool.query<{ epoch: number }>('select epoch from network_record');
    expect(rows).toStrictEqual([{ epoch: 1 }]);
  });
});

describe('migrations', () => {
  const empty = (): Promise<unknown> =>
    pool.query('drop schema public cascade; create schema public');

  test('are applied once by controllers that start together', async () => {
    await empty();
    const applied = await Promise.all([migrate(pool), migrate(pool), migrate(pool)]);
    const names = applied.flat();
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
    expect(applied.filter((done) => done.length > 0)).toHaveLength(1);
    expect(await migrate(pool)).toStrictEqual([]);
    await expect(openNetwork(database, KEYS)).resolves.toMatchObject({ epoch: 1 });
  });

  test('leave a ledger in the form of the tool that made them', async () => {
    const { rows } = await pool.query<{ checksum: string; steps: number; open: boolean }>(
      'select checksum, applied_steps_count as steps, finished_at is null as open from "_prisma_migrations"',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect(row).toStrictEqual({
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        steps: 1,
        open: false,
      });
    }
  });

  test('that fail leave nothing, and the lock to the next', async () => {
    await empty();
    await pool.query('create table identity (id int)');
    await expect(migrate(pool)).rejects.toThrow('already exists');
    const { rows } = await pool.query(
      "select tablename from pg_tables where schemaname = 'public' order by 1",
    );
    expect(rows).toStrictEqual([{ tablename: 'identity' }]);
    await pool.query('drop table identity');
    expect((await migrate(pool)).length).toBeGreaterThan(0);
  });
});
