import { describe, expect, test } from '@jest/globals';
import { TimeLimitExceeded, withinTime } from '../../../src/data/config-types/time-limit.js';

const LIMIT = 20;

/** Takes longer than the limit the first time, and nothing afterwards. */
function slowOnce(): { readonly task: () => void; readonly runs: () => number } {
  let runs = 0;
  return {
    task: () => {
      runs += 1;
      while (runs === 1);
    },
    runs: () => runs,
  };
}

/** A clock of the processor that goes on by so much at each call. */
const clock = (step: number) => {
  let millis = 0;
  return () => (millis += step);
};

describe('a task with a time limit', () => {
  test('runs again when other programs had the processor', () => {
    const { task, runs } = slowOnce();
    withinTime(LIMIT, task, clock(LIMIT * 0.2));
    expect(runs()).toBe(2);
  });

  test('ends when it used the time itself', () => {
    const { task, runs } = slowOnce();
    expect(() => {
      withinTime(LIMIT, task, clock(LIMIT));
    }).toThrow(TimeLimitExceeded);
    expect(runs()).toBe(1);
  });

  test('ends after the second attempt on a busy machine, too', () => {
    expect(() => {
      withinTime(
        LIMIT,
        () => {
          for (;;);
        },
        clock(0),
      );
    }).toThrow(TimeLimitExceeded);
  });

  test('passes on the error of the task', () => {
    expect(() => {
      withinTime(LIMIT, () => {
        throw new RangeError('of the task');
      });
    }).toThrow(RangeError);
  });
});
