import { expect, test } from '@jest/globals';
import { LoopTurns } from '../../src/base/loop-turns.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves when all is done that this turn has room for. */
const settled = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
};

test('a turn of the event loop has room for so many steps, in the order in which they are asked for', async () => {
  const turns = new LoopTurns(2);
  const done: string[] = [];
  const work = async (name: string, steps: number): Promise<void> => {
    for (let i = 0; i < steps; i += 1) {
      await turns.next();
      done.push(name);
    }
  };
  const works = Promise.all([work('a', 3), work('b', 2), work('c', 1)]);
  await settled();
  const counts = [done.length];
  while (done.length < 6) {
    const before = done.length;
    await turn();
    counts.push(done.length - before);
  }
  await works;
  expect(Math.max(...counts)).toBe(2);
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('turns that nobody used are not saved up', async () => {
  const turns = new LoopTurns(1);
  await turns.next();
  for (let i = 0; i < 5; i += 1) await turn();
  let done = 0;
  const works = [1, 2, 3].map(() => turns.next().then(() => (done += 1)));
  await settled();
  expect(done).toBe(1);
  await Promise.all(works);
});
