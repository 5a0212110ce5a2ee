import { describe, expect, test } from '@jest/globals';
import { Gate } from '../../src/base/gate.js';

/** Work that is over when it is told so. */
function work(): { run: () => Promise<string>; end: () => void; fail: () => void; begun: boolean } {
  const settle: { resolve?: (text: string) => void; reject?: (error: Error) => void } = {};
  const promise = new Promise<string>((resolve, reject) =>
    Object.assign(settle, { resolve, reject }),
  );
  const one = {
    begun: false,
    run: () => {
      one.begun = true;
      return promise;
    },
    end: () => settle.resolve?.('done'),
    fail: () => settle.reject?.(new Error('failed')),
  };
  return one;
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

describe('a gate for two, where two may wait', () => {
  test('lets two in, makes two wait, and refuses the fifth', async () => {
    const gate = new Gate(2, 2);
    const works = [work(), work(), work(), work(), work()];
    const results = works.map((one) => gate.run(one.run));
    const refused = expect(results[4]).rejects.toMatchObject({
      code: 'SERVER_TOO_MANY_REQUESTS',
      status: 429,
      retryAfter: 1,
    });
    expect(works.map((one) => one.begun)).toEqual([true, true, false, false, false]);
    await refused;

    works[0]?.end();
    await turns();
    expect(works.map((one) => one.begun)).toEqual([true, true, true, false, false]);
    works.forEach((one) => {
      one.end();
    });
    await expect(Promise.all(results.slice(0, 4))).resolves.toHaveLength(4);
  });

  test('hands a place on when work fails', async () => {
    const gate = new Gate(1, 1);
    const [first, second] = [work(), work()];
    const results = [gate.run(first.run), gate.run(second.run)];
    first.fail();
    await expect(results[0]).rejects.toThrow('failed');
    await turns();
    expect(second.begun).toBe(true);
    second.end();
    await expect(results[1]).resolves.toBe('done');
  });

  test('is open again when all is done', async () => {
    const gate = new Gate(1, 0);
    for (let i = 0; i < 3; i += 1) {
      await expect(gate.run(() => Promise.resolve(i))).resolves.toBe(i);
    }
  });
});
