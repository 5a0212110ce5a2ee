import { describe, expect, test } from '@jest/globals';
import { senderOf } from '../../../src/requests/limits/address.js';
import { TokenBuckets } from '../../../src/requests/limits/token-buckets.js';

class Clock {
  millis = 1_000_000;
  readonly now = (): number => this.millis;
}

describe('a bucket of tokens', () => {
  test('lets a burst pass and then as many as come back', () => {
    const clock = new Clock();
    const buckets = new TokenBuckets({ perSecond: 10, burst: 20 }, clock.now);
    const passed = (): number => {
      let count = 0;
      while (buckets.take('a') === 0) count += 1;
      return count;
    };
    expect(passed()).toBe(20);
    clock.millis += 1_000;
    expect(passed()).toBe(10);
    clock.millis += 60_000;
    expect(passed()).toBe(20);
  });

  test('tells when there will be enough', () => {
    const clock = new Clock();
    const buckets = new TokenBuckets({ perSecond: 2, burst: 4 }, clock.now);
    expect(buckets.take('a', 4)).toBe(0);
    expect(buckets.take('a', 1)).toBe(0.5);
    clock.millis += 500;
    expect(buckets.take('a', 1)).toBe(0);
  });

  test('gives what is worth more than it holds when it is full, and waits for the rest', () => {
    const clock = new Clock();
    const buckets = new TokenBuckets({ perSecond: 1, burst: 10 }, clock.now);
    expect(buckets.take('a', 15)).toBe(0);
    expect(buckets.left('a')).toBe(0);
    expect(buckets.take('a', 1)).toBe(6);
  });

  test('gives tokens that come back later in turn, but none that is too far away', () => {
    const clock = new Clock();
    const buckets = new TokenBuckets({ perSecond: 2, burst: 1 }, clock.now);
    const waits = [1, 1, 1, 1].map((longest) => buckets.reserve('a', longest));
    expect(waits).toStrictEqual([0, 0.5, 1, undefined]);
    clock.millis += 500;
    expect(buckets.reserve('a', 1)).toBe(1);
    expect(buckets.take('a')).toBe(1.5);
  });

  test('is one for each key', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 1 }, new Clock().now);
    expect([buckets.take('a'), buckets.take('a'), buckets.take('b')]).toStrictEqual([0, 1, 0]);
  });

  test('is not there when nothing is limited', () => {
    const buckets = new TokenBuckets({ perSecond: 0, burst: 0 }, new Clock().now);
    expect(buckets.isOff).toBe(true);
    expect(buckets.take('a', 1_000)).toBe(0);
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.1.2.3', '10.1.2.3'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001::db8:1:2:3:4', '2001:0:0:db8::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s sends as %s', (address, sender) => {
  expect(senderOf(address)).toBe(sender);
});
