import { expect, test } from '@jest/globals';
import { OrderedStop } from '../../src/programs/controller/ordered-stop.js';

const never = (): Promise<void> => new Promise(() => undefined);

test('an ordered stop comes to its end, whatever its steps do', async () => {
  const lines: string[] = [];
  const ended: string[] = [];
  const stop = new OrderedStop((line) => lines.push(line));
  const ends = (what: string) => () => {
    ended.push(what);
    return Promise.resolve();
  };
  stop.add('the first', 1_000, ends('the first'));
  stop.add('one that fails', 1_000, () => Promise.reject(new Error('broken')));
  stop.add('one that throws', 1_000, () => {
    throw new Error('at once');
  });
  stop.add('one that hangs', 1, never);
  stop.add('one that adds another', 1_000, () => {
    stop.add('the late one', 1_000, ends('the late one'));
    return Promise.resolve();
  });
  stop.add('the last', 1_000, ends('the last'));
  const running = stop.run();
  expect(stop.run()).toBe(running);
  await running;
  expect(ended).toStrictEqual(['the last', 'the late one', 'the first']);
  expect(lines).toStrictEqual([
    'one that hangs did not end in time',
    'one that throws: Error: at once',
    'one that fails: Error: broken',
  ]);
});
