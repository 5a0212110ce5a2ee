/** Fast tests; `npm run test:long` adds those under a `long` folder. */
const long = process.env.OVERGRAPH_TEST_LONG === '1';

export default {
  testEnvironment: '<rootDir>/test/support/native/environment.cjs',
  runtime: '<rootDir>/test/support/native/runtime.cjs',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: long ? ['/node_modules/'] : ['/node_modules/', '/long/'],
  transform: {},
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // Start hooks of a file take seconds on a quiet machine, and more beside other work.
  testTimeout: 120_000,
  maxWorkers: 2,
};
