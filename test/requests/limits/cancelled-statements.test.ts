import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RequestScope } from '../../../src/kernel/request/request-scope.js';
import { sql } from '../../../src/base/sql.js';
import { Database } from '../../../src/data/store/database.js';
import { createDatabase, type TestDatabase } from '../../support/database.js';

/* Statements on behalf of a request, at a pool that many share. */

let own: TestDatabase;
let database: Database;

beforeAll(async () => {
  own = await createDatabase();
  database = new Database({ url: own.url, named: true, connections: 3 });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const sleep = (millis: number, scope?: RequestScope): Promise<unknown> =>
  database.query(sql`select pg_sleep(${millis / 1000}::double precision)::text`, scope);

const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code,
  );

describe('statements of a request', () => {
  test('are TIMEOUT when its time is up, and so are those that come after', async () => {
    const scope = new RequestScope(50);
    const codes = [await outcome(sleep(20_000, scope)), await outcome(sleep(0, scope))];
    expect(codes).toStrictEqual(['TIMEOUT', 'TIMEOUT']);
  });

  test('that wait for a connection are not sent any more', async () => {
    const holding = Array.from({ length: 3 }, () => sleep(400));
    const before = Date.now();
    const scope = new RequestScope(50);
    const waited = outcome(sleep(20_000, scope));
    await Promise.all(holding);
    expect(await waited).toBe('TIMEOUT');
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  test('go on when the request has been answered', async () => {
    const scope = new RequestScope(50);
    const behind = sleep(150, scope);
    scope.end();
    expect(await outcome(behind)).toBe('done');
    expect(await outcome(sleep(0, scope))).toBe('done');
  });
});

test('a cancelled statement never takes one of somebody else with it', async () => {
  const cut: Promise<unknown>[] = [];
  const kept: Promise<unknown>[] = [];
  for (let i = 0; i < 150; i += 1) {
    // Their ends fall together with the ends of their time.
    const scope = new RequestScope(10 + (i % 20));
    cut.push(outcome(sleep(2 + (i % 4), scope)));
    kept.push(outcome(sleep(2)));
  }
  expect(new Set(await Promise.all(kept))).toStrictEqual(new Set(['done']));
  const outcomes = new Set(await Promise.all(cut));
  expect([...outcomes].filter((o) => o !== 'done' && o !== 'TIMEOUT')).toStrictEqual([]);
});
