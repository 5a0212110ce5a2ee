import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { raw, sql } from '../../../src/base/sql.js';
import { Database } from '../../../src/data/store/database.js';
import { createDatabase } from '../../support/database.js';
import { InProcess } from '../../support/in-process.js';

/* What the connections keep of the statements that clients cause. */

/** The texts that the server keeps for a connection. */
async function keptOn(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    'select statement from pg_prepared_statements',
  );
  return rows.map(({ statement }) => statement);
}

/** On all connections of a pool together. */
async function kept({ pool }: Database): Promise<string[]> {
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const texts = await Promise.all(clients.map(keptOn));
  for (const client of clients) client.release();
  return texts.flat();
}

describe('a controller', () => {
  let controller: InProcess;

  beforeAll(async () => {
    controller = await InProcess.start();
  });
  afterAll(() => controller.stop());

  const list = (args: string, fields = 'id'): Promise<unknown> =>
    controller.graph(`{ identities(first: 1, ${args}) { totalCount nodes { ${fields} } } }`);
  const keptOfIdentities = async (): Promise<number> =>
    (await kept(controller.parts.database)).filter((text) => text.includes('"identity"')).length;

  test.each([
    ['conditions in text', (i: number) => `filter: "${Array(i).fill('name=1').join(' or ')}"`],
    ['conditions', (i: number) => `where: { or: [${'{ name: { eq: "x" } } '.repeat(i)}] }`],
    ['orders', (i: number) => `sort: "${['name', 'id', 'createdAt'].slice(i % 3).join(',')}"`],
    ['orders as input', (i: number) => `orderBy: { field: ${i % 2 === 0 ? 'name' : 'createdAt'} }`],
  ])('names no statement with %s of a client', async (_, args) => {
    const before = await keptOfIdentities();
    for (let round = 0; round < 3; round += 1) {
      for (let i = 1; i <= 6; i += 1) await list(args(i));
    }
    expect(await keptOfIdentities()).toBe(before);
  });

  test('names a selection of columns when it comes again', async () => {
    const before = await keptOfIdentities();
    await list('offset: 1', 'id externalId');
    expect(await keptOfIdentities()).toBe(before);
    await list('offset: 1', 'id externalId');
    expect(await keptOfIdentities()).toBe(before + 1);
  });
});

describe('a connection', () => {
  const MAX_TOTAL_LENGTH = 256 * 1024;
  const MAX_LENGTH = 16 * 1024;
  let own: Awaited<ReturnType<typeof createDatabase>>;
  let database: Database;

  beforeAll(async () => {
    own = await createDatabase();
    database = new Database({ url: own.url, named: true, connections: 1 });
  });
  afterAll(async () => {
    await database.close();
    await own.drop();
  });

  const send = async (length: number, number: number): Promise<void> => {
    const text = raw(`${String(number)} as n, '${'x'.repeat(length)}' as text`);
    for (let i = 0; i < 2; i += 1) await database.query(sql`select ${text}`);
  };

  test('keeps no statement that is too long', async () => {
    await send(MAX_LENGTH, 0);
    expect(await kept(database)).toStrictEqual([]);
  });

  test('is replaced when it has kept too much', async () => {
    let most = 0;
    for (let i = 1; i <= 100; i += 1) {
      await send(8_000, i);
      const texts = await kept(database);
      most = Math.max(most, texts.join('').length);
    }
    expect(most).toBeGreaterThan(MAX_TOTAL_LENGTH / 2);
    expect(most).toBeLessThanOrEqual(MAX_TOTAL_LENGTH + MAX_LENGTH);
  });
});
