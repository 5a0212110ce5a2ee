import { beforeAll, expect, test } from '@jest/globals';
import type { Report } from '../campaign.js';
import { fuzzed, shown, unreached, type RunResult } from '../run.js';
import { flatness } from './flatness.js';

/*
 * A million requests: `npm run test:long -- /fuzz/long/`. Seed, count and single requests are set
 * by variables of the environment, which `run.ts` explains.
 */

const COUNT = 1_000_000;
const HOUR = 3_600_000;

let result: RunResult;

beforeAll(async () => {
  result = await fuzzed(
    { seed: Date.now() % 2 ** 31, count: COUNT, longestMillis: 2.5 * HOUR },
    tell,
  );
  tell(result.report);
}, 3 * HOUR);

let told = 0;

function tell(report: Report): void {
  const { seed, sent, seconds, statuses, faults, suspicions, vitals } = report;
  for (const fault of faults.slice(told)) process.stderr.write(`${shown(report, fault)}\n`);
  told = faults.length;
  const { heap = 0, resident = 0, cpu = 0 } = vitals.at(-1) ?? {};
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
  process.stderr.write(
    `seed ${seed}: ${sent} requests in ${seconds.toFixed(0)} s, ${faults.length} faults, ` +
      `${suspicions.length} suspected stalls, heap ${heap.toFixed(0)} MiB, ` +
      `resident ${resident.toFixed(0)} MiB, ${((1000 * cpu) / sent).toFixed(1)} ms of the processor each; ${counts.join(', ')}\n`,
  );
}

test('no request makes the controller fail', () => {
  const { report, isAlive } = result;
  expect(report.faults.map((fault) => shown(report, fault))).toEqual([]);
  expect(report.errorLines).toEqual([]);
  expect(isAlive).toBe(true);
});

test('all requests were sent', () => {
  expect(result.report.sent).toBe(result.asked);
});

test('requests reach every operation', () => {
  expect(unreached(result)).toEqual([]);
});

test('memory stays flat', () => {
  const { heapGrowth, residentGrowth } = flatness(result.report.vitals);
  process.stderr.write(
    `from the first fifth to the last: heap ${heapGrowth.toFixed(1)} MiB, resident ${residentGrowth.toFixed(1)} MiB\n`,
  );
  expect(heapGrowth).toBeLessThan(40);
  expect(residentGrowth).toBeLessThan(150);
});
