import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { costlyRuns, runs } from '../support/runs.js';

/** A property says by which values it failed, also where its runs take long. */

const SEED = /seed: -?\d+/;

describe('a property', () => {
  test('that takes too long ends with its seed', async () => {
    const endless = fc.asyncProperty(fc.nat(), () => new Promise<void>(() => undefined));
    const bounded = { ...runs(2), interruptAfterTimeLimit: 1 };
    await expect(fc.assert(endless, bounded)).rejects.toThrow(SEED);
  });

  test.each([
    ['with costly runs', costlyRuns(25), 1],
    ['with others, which looks for a smaller one', runs(25), 2],
  ])('that fails %s tells its seed and path', async (_, given, minRuns) => {
    let count = 0;
    const failing = fc.asyncProperty(fc.array(fc.nat(), { minLength: 5 }), () => {
      count += 1;
      return Promise.reject(new Error('no'));
    });
    const told = await fc.check(failing, given);
    expect(fc.defaultReportMessage(told)).toMatch(SEED);
    expect(told.counterexamplePath).toMatch(/^\d+/);
    expect(count).toBeGreaterThanOrEqual(minRuns);
    if ('endOnFailure' in given) expect(count).toBe(1);
  });
});
