import { expect, test } from '@jest/globals';
import { LateDials } from '../../../src/network/fabric/late-dials.js';

/* Which dials come from clients that have given up. */

let now = 0;
const dials = (): LateDials => new LateDials(() => new Date(now));

test('a router that an earlier owner served sends its dials late, for a second', () => {
  now = 1_000_000;
  const late = dials();
  late.connected('router', false);
  now += 999;
  expect([late.isLate('router'), late.isLate('another')]).toEqual([true, false]);
  now += 1;
  expect(late.isLate('router')).toBe(false);
});

test('a router that was started anew has kept no dials', () => {
  const late = dials();
  late.connected('router', true);
  expect(late.isLate('router')).toBe(false);
});

test.each([
  [3_999, false],
  [4_000, true],
])('after %i ms without a connection they are late: %s', (away, isLate) => {
  now = 2_000_000;
  const late = dials();
  late.connected('router', true);
  late.lost('router');
  now += away;
  late.connected('router', false);
  expect(late.isLate('router')).toBe(isLate);
});
