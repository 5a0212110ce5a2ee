import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { migrate } from '../../src/store/migrate.js';
import { confirmKeys, openNetwork } from '../../src/store/network-record.js';
import { StartError } from '../../src/base/start-error.js';
import { createDatabase, openPool, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 12);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const KEYS = { rootFingerprint: 'root', keyCheck: 'key', predecessors: [] };

describe('the network record', () => {
  beforeEach(() => pool.query('delete from network_record'));

  test('is made once, also by controllers that start together', async () => {
    const records = await Promise.all(Array.from({ length: 6 }, () => openNetwork(pool, KEYS)));
    expect(new Set(records.map((r) => r.id)).size).toBe(1);
    expect(records.map((r) => r.epoch)).toStrictEqual(records.map(() => 1));
    const { rowCount } = await pool.query('select from network_record');
    expect(rowCount).toBe(1);
  });

  test('stays as it is from start to start', async () => {
    const first = await openNetwork(pool, KEYS);
    expect(await openNetwork(pool, KEYS)).toStrictEqual(first);
  });

  test.each([
    ['root certificate', { ...KEYS, rootFingerprint: 'other' }],
    ['secret key', { ...KEYS, keyCheck: 'other' }],
  ])('refuses another %s, and names the cure', async (what, keys) => {
    await openNetwork(pool, KEYS);
    const refusal = await openNetwork(pool, keys).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StartError);
    expect((refusal as Error).message).toMatch(new RegExp(`${what}[^\\n]*overgraph pki export`));
    expect((refusal as Error).message).not.toContain('\n');
    await expect(openNetwork(pool, KEYS)).resolves.toMatchObject({ epoch: 1 });
  });

  test.each([
    ['at a start', openNetwork],
    ['in a running controller', confirmKeys],
  ])('follows a root that the recorded one vouched for, %s', async (_, take) => {
    await openNetwork(pool, KEYS);
    const next = { ...KEYS, rootFingerprint: 'third', predecessors: ['second', 'root'] };
    await expect(take(pool, { ...next, keyCheck: 'other' })).rejects.toThrow(/secret key/);
    await expect(take(pool, { ...next, predecessors: ['second'] })).rejects.toThrow(/root cert/);
    await openNetwork(pool, KEYS);
    await Promise.all([take(pool, next), take(pool, next)]);
    await take(pool, next);
    // There is no way back to what was succeeded.
    await expect(take(pool, KEYS)).rejects.toThrow(/root certificate/);
  });

  test('raises the epoch when the database has moved to another server, once', async () => {
    const { id } = await openNetwork(pool, KEYS);
    await pool.query("update network_record set system_identifier = 'another server'");
    const moved = await Promise.all([openNetwork(pool, KEYS), openNetwork(pool, KEYS)]);
    expect(moved).toStrictEqual([
      { id, epoch: 2 },
      { id, epoch: 2 },
    ]);
    expect(await openNetwork(pool, KEYS)).toStrictEqual({ id, epoch: 2 });
  });

  test('a refused controller raises nothing', async () => {
    await openNetwork(pool, KEYS);
    await pool.query("update network_record set system_identifier = 'another server'");
    await openNetwork(pool, { ...KEYS, keyCheck: 'other' }).catch(() => undefined);
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
    await expect(openNetwork(pool, KEYS)).resolves.toMatchObject({ epoch: 1 });
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
