import { expect, test } from '@jest/globals';
import type { LoggedChange } from '../../../src/kernel/request/store-port.js';
import { RelayedFeed } from '../../../src/programs/workers/index.js';

const change = (cursor: string): LoggedChange => ({ cursor }) as LoggedChange;

test('delivers changes in order from its start on, with those that came before it', async () => {
  const feed = new RelayedFeed('1');
  const delivered: string[] = [];
  const positions: string[] = [];
  feed.deliverTo((changes) => {
    delivered.push(...changes.map(({ cursor }) => cursor));
    positions.push(feed.position);
  });
  feed.receive([change('2'), change('3')]);
  expect([delivered, feed.position]).toEqual([[], '1']);
  await feed.start();
  feed.receive([change('4')]);
  expect(delivered).toEqual(['2', '3', '4']);
  // The position is that of changes whose listeners have been called.
  expect([...positions, feed.position]).toEqual(['1', '3', '4']);
});

test('is silent for as long as the feed of the first process, and since it said so', () => {
  const feed = new RelayedFeed('1');
  feed.heard(5_000);
  expect(feed.silenceMillis).toBeGreaterThanOrEqual(5_000);
  feed.heard(0);
  expect(feed.silenceMillis).toBeLessThan(5_000);
});
