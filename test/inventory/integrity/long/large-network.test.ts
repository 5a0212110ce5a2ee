import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fillTables, sizeFor } from '../../../bench/network.js';
import { InProcess } from '../../../support/in-process.js';
import { check, fix } from '../runs.js';

/** The data integrity check of a network of 100,000 identities. */

const MINUTES = 60_000;
let on: InProcess;

beforeAll(async () => {
  on = await InProcess.start();
  await fillTables(on.url, sizeFor(100_000));
  await on.parts.model.load();
}, 5 * MINUTES);
afterAll(() => on.stop());

const sqlText = (text: string): Promise<unknown> => on.parts.database.pool.query(text);

describe('the check of 100,000 identities', () => {
  test(
    'finds and fixes one fault among them, and holds nobody up',
    async () => {
      await sqlText(
        `update identity set service_hosting_costs = '{"nobody": 1}' where name = 'identity-0050000'`,
      );
      let slowest = 0;
      const state = { isRunning: true };
      const reads = (async () => {
        while (state.isRunning) {
          const begin = performance.now();
          await on.read('{ identities(first: 5) { nodes { name } totalCount } }');
          slowest = Math.max(slowest, performance.now() - begin);
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const begin = performance.now();
      const found = await fix(on);
      state.isRunning = false;
      await reads;
      process.stderr.write(
        `data integrity run: ${((performance.now() - begin) / 1000).toFixed(1)} s; slowest read meanwhile ${slowest.toFixed(0)} ms; memory ${String(Math.round(process.memoryUsage().rss / 1048576))} MiB\n`,
      );
      const others = found.filter(
        ({ description }) => !description.includes('serviceHostingCosts'),
      );
      expect(others.slice(0, 5)).toStrictEqual([]);
      expect(found).toStrictEqual([
        { description: expect.stringContaining('nobody'), fixed: true },
      ]);
      expect(slowest).toBeLessThan(2_000);
      expect(await check(on)).toStrictEqual([]);
    },
    10 * MINUTES,
  );
});
