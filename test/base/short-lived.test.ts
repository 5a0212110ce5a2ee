import { expect, test } from '@jest/globals';
import { ShortLived } from '../../src/base/short-lived.js';

const named = (name: string): { name: string } => ({ name });

test('the objects that were added and not removed are there', () => {
  const objects = new ShortLived<{ name: string }>();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => objects.add(named(name)));
  objects.remove(b ?? -1);
  expect([objects.size, objects.all()]).toStrictEqual([2, [named('a'), named('c')]]);
  objects.add(named('d'));
  objects.remove(a ?? -1);
  objects.remove(c ?? -1);
  expect([objects.size, objects.all()]).toStrictEqual([1, [named('d')]]);
});

test('a removed object leaves its place to the next', () => {
  const objects = new ShortLived<{ name: string }>();
  const places = Array.from({ length: 1_000 }, (_, i) => {
    const place = objects.add(named(String(i)));
    objects.remove(place);
    return place;
  });
  expect(new Set(places)).toStrictEqual(new Set([0]));
  expect(objects.size).toBe(0);
});
