import { expect, test } from '@jest/globals';
import { Gate } from '../../src/base/gate.js';

/** Work that ends when a test says so. */
class Work {
  static readonly begun: string[] = [];
  end: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  constructor(readonly name: string) {}

  readonly run = (): Promise<string> => {
    Work.begun.push(this.name);
    return new Promise((resolve, reject) => {
      this.end = () => {
        resolve(this.name);
      };
      this.fail = reject;
    });
  };
}

test('work waits for its turn in the order of the calls, also behind work that fails', async () => {
  const gate = new Gate(2);
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Work(name)) as [
    Work,
    Work,
    Work,
    Work,
  ];
  const results = [a, b, c, d].map((work) => gate.run(work.run));
  expect(Work.begun).toEqual(['a', 'b']);
  b.fail(new Error('b'));
  await expect(results[1]).rejects.toThrow('b');
  await Promise.resolve();
  expect(Work.begun).toEqual(['a', 'b', 'c']);
  a.end();
  expect(await results[0]).toBe('a');
  await Promise.resolve();
  expect(Work.begun).toEqual(['a', 'b', 'c', 'd']);
  c.end();
  d.end();
  expect(await Promise.all([results[2], results[3]])).toEqual(['c', 'd']);
});
