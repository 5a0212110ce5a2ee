import { expect, test } from '@jest/globals';
import { defaultWorkers, quotaIn } from '../../../src/programs/workers/default-workers.js';

const GIGABYTE = 1024 ** 3;

test.each([
  [1, 8, 1],
  [2, 8, 2],
  [8, 16, 8],
  [64, 256, 8],
  // A container with part of a core, and one with little memory.
  [0.5, 8, 1],
  [1.5, 8, 2],
  [4, 1, 2],
  [4, 0.25, 1],
])('%d cores and %d GB are %d processes', (cores, gigabytes, workers) => {
  expect(defaultWorkers({ cores, memoryBytes: gigabytes * GIGABYTE })).toBe(workers);
});

test('this machine has at least one', () => {
  expect(defaultWorkers()).toBeGreaterThanOrEqual(1);
});

test.each([
  ['150000 100000\n', 1.5],
  ['max 100000\n', undefined],
  ['', undefined],
  ['nonsense', undefined],
])('a quota of %j is %p cores', (text, cores) => {
  expect(quotaIn(text)).toBe(cores);
});
