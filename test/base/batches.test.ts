import { expect, test } from '@jest/globals';
import { Batches } from '../../src/base/batches.js';

/** Batches that are noted, and that end when the test says so. */
class NotedBatches {
  readonly ran: string[] = [];
  readonly #ends: (() => void)[] = [];
  readonly batches = new Batches<string, string>(async (key, items) => {
    this.ran.push(`${key}: ${items.join(' ')}`);
    await new Promise<void>((resolve) => this.#ends.push(resolve));
    if (items.includes('bad')) throw new Error(`bad among ${String(items.length)}`);
  }, 3);

  /** Ends the batch that runs for the longest time; gives whether there was one. */
  async endOne(): Promise<boolean> {
    const end = this.#ends.shift();
    end?.();
    await new Promise((resolve) => setImmediate(resolve));
    return end !== undefined;
  }

  /** Ends all batches that run, and those that follow, until none does. */
  async end(): Promise<void> {
    while (await this.endOne());
  }
}

test('items that come while a batch runs form the next ones, key by key', async () => {
  const noted = new NotedBatches();
  const added = ['a', 'b', 'c', 'd', 'e'].map((item) => noted.batches.add('x', item));
  added.push(noted.batches.add('y', 'f'));
  expect(noted.ran).toEqual(['x: a', 'y: f']);
  await noted.end();
  await Promise.all(added);
  expect(noted.ran).toEqual(['x: a', 'y: f', 'x: b c d', 'x: e']);
});

test('an item is over when its batch is, not before', async () => {
  const noted = new NotedBatches();
  let isOver = false;
  const added = noted.batches.add('x', 'a').then(() => {
    isOver = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  await noted.end();
  await added;
  // The key is free again: the next item begins at once.
  void noted.batches.add('x', 'b');
  expect(noted.ran).toEqual(['x: a', 'x: b']);
  await noted.end();
});

test('the fault of one item is its own, and the others do not wait for each other', async () => {
  const noted = new NotedBatches();
  const added = ['a', 'b', 'bad', 'c'].map((item) => noted.batches.add('x', item));
  const outcomes = Promise.allSettled(added);
  await noted.endOne();
  await noted.endOne();
  expect(noted.ran).toEqual(['x: a', 'x: b bad c', 'x: b', 'x: bad', 'x: c']);
  await noted.end();
  expect(await outcomes).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: undefined },
    { status: 'rejected', reason: new Error('bad among 1') },
    { status: 'fulfilled', value: undefined },
  ]);
});
