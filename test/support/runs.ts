/*
 * How often the property of a test runs. fast-check prints the seed and the path of a failure, but only
 * if it ends before the test: so each property has a time of its own.
 */

const isLong = process.env.OVERGRAPH_TEST_LONG === '1';

const LONG_FACTOR = 4;

/**
 * Of every property in `npm test`, so that it gives the same answer each time; `test:long` looks
 * further with a new one each time.
 */
const SEED = 20_261_127;

/** Below the time of a test. */
const MAX_MILLIS = isLong ? 110_000 : 60_000;

/** @param count of runs in `npm test`; `test:long` has more */
export const runs = (count: number) => ({
  numRuns: isLong ? count * LONG_FACTOR : count,
  ...(isLong ? {} : { seed: SEED }),
  interruptAfterTimeLimit: MAX_MILLIS,
  markInterruptAsFailure: true,
});

/**
 * For runs that take more than a few milliseconds, such as those with a database: a failure is told as
 * it is. To make one of a few runs smaller takes thousands of them.
 */
export const costlyRuns = (count: number) => ({ ...runs(count), endOnFailure: true });
