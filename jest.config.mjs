import { availableParallelism } from 'node:os';

/**
 * Fast tests; `npm run test:long` adds those under a `long` folder, and then runs those under `alone`, which
 * measure and want the whole machine.
 */
const long = process.env.OVERGRAPH_TEST_LONG === '1';
const alone = process.env.OVERGRAPH_TEST_ALONE === '1';

export default {
  testEnvironment: '<rootDir>/test/support/native/environment.cjs',
  runtime: '<rootDir>/test/support/native/runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: alone ? ['**/alone/*.test.ts'] : ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(long ? [] : ['/long/']),
    ...(alone ? [] : ['/alone/']),
  ],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // Start hooks of a file take seconds on a quiet machine, and minutes on one with ten times the work.
  testTimeout: 300_000,
  // The memory of a worker is given back after its last statement: on a busy machine that takes seconds.
  workerGracefulExitTimeout: 60_000,
  // Files wait for timers, sockets and the database: two workers leave a fifth of two cores idle.
  maxWorkers: alone ? 1 : Math.max(3, availableParallelism() - 1),
};
