import { expect, test } from '@jest/globals';
import { largeCache } from '../../src/base/large-cache.js';

test('a large cache drops what was used longest ago when it is full', () => {
  const cache = largeCache<string>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, `value of ${key}`);
  cache.get('a');
  cache.set('d', 'value of d');
  expect([...cache.keys()].sort()).toStrictEqual(['a', 'c', 'd']);
});

test('a large cache keeps as many entries as it may', () => {
  const cache = largeCache<true>(10_000);
  for (let i = 0; i < 25_000; i += 1) cache.set(String(i), true);
  expect(cache.size).toBe(10_000);
  expect(cache.has('15000')).toBe(true);
  expect(cache.has('14999')).toBe(false);
});
