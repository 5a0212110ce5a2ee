import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startController, type TestController } from '../../support/controller.js';
import type { BrokenWire } from '../../support/broken-wire.js';
import { wireTo } from '../../support/database-wire.js';
import { createDatabase, openPool, type TestDatabase } from '../../support/database.js';
import { EmbeddedController, writes, writesAgain } from '../embedded-controller.js';

/** PostgreSQL is out of reach for a minute. */

const MINUTE = 60_000;
/** A request is answered within what it may take, whatever the database does. */
const PATIENCE = 20_000;

/** Writes without pause, four at a time, for so long. */
async function writeFor(api: TestController, millis: number) {
  const outcomes: { name: string; status: number; code: string | undefined; tookMs: number }[] = [];
  const until = Date.now() + millis;
  const keepOn = async (): Promise<void> => {
    while (Date.now() < until) {
      const began = Date.now();
      const { name, status, code } = await writes.rest(api);
      outcomes.push({ name, status, code, tookMs: Date.now() - began });
      // A client that is told to come again does not come at once.
      if (status === 503) await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  await Promise.all(Array.from({ length: 4 }, keepOn));
  return outcomes;
}

type Outcomes = Awaited<ReturnType<typeof writeFor>>;

function expectHonest(outcomes: Outcomes): string[] {
  expect(new Set(outcomes.map(({ status }) => status))).toStrictEqual(new Set([201, 503]));
  expect(Math.max(...outcomes.map(({ tookMs }) => tookMs))).toBeLessThan(PATIENCE);
  return outcomes.filter(({ status }) => status === 201).map(({ name }) => name);
}

describe('a server that stands still', () => {
  let controller: EmbeddedController;
  beforeAll(async () => {
    controller = await EmbeddedController.start();
  });
  afterAll(() => controller.stop());

  test(
    'is not waited for longer than a request may take, and served from again as it goes on',
    async () => {
      const writing = writeFor(controller.api, MINUTE + 5_000);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const goOn = await controller.freeze();
      await new Promise((resolve) => setTimeout(resolve, MINUTE));
      goOn();
      const acknowledged = expectHonest(await writing);
      expect(await writesAgain(controller.api, 30_000)).toBeLessThan(30_000);
      const rows = await controller.query('select name from service');
      expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
      expect(controller.isRunning).toBe(true);
    },
    3 * MINUTE,
  );
});

describe('a wire that is cut', () => {
  let database: TestDatabase;
  let wire: BrokenWire;
  let controller: TestController;
  beforeAll(async () => {
    database = await createDatabase();
    const wired = await wireTo(database);
    wire = wired.wire;
    controller = await startController({ env: { DATABASE_URL: wired.url } });
  });
  afterAll(async () => {
    await controller.stop();
    await wire.stop();
    await database.drop();
  });

  test(
    'is got over by new connections',
    async () => {
      const writing = writeFor(controller, MINUTE + 5_000);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      wire.cut();
      await new Promise((resolve) => setTimeout(resolve, MINUTE));
      const { status, retryAfter } = await writes.rest(controller);
      expect({ status, retryAfter }).toStrictEqual({ status: 503, retryAfter: '1' });
      wire.mend();
      const acknowledged = expectHonest(await writing);
      await writesAgain(controller, 30_000);
      const pool = openPool(database.url, 1);
      const { rows } = await pool.query<{ name: string }>('select name from service');
      await pool.end();
      expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(acknowledged));
    },
    3 * MINUTE,
  );
});
