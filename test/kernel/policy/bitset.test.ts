import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Bitset } from '../../../src/kernel/policy/bitset.js';
import { OrdinalSet } from '../../../src/kernel/policy/ordinal-set.js';
import { runs } from '../../support/runs.js';

const ordinals = fc.uniqueArray(fc.nat(200), { maxLength: 60 });
const ascending = (members: Iterable<number>): number[] => [...members].sort((a, b) => a - b);

describe('a bitset', () => {
  test('agrees with a Set after any sequence of changes', () => {
    const change = fc.record({ ordinal: fc.nat(300), isAddition: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const bits = new Bitset();
        const expected = new Set<number>();
        for (const { ordinal, isAddition } of changes) {
          if (isAddition) bits.set(ordinal);
          else bits.clear(ordinal);
          if (isAddition) expected.add(ordinal);
          else expected.delete(ordinal);
        }
        const visited: number[] = [];
        bits.forEach((ordinal) => visited.push(ordinal));
        expect([...bits]).toEqual(ascending(expected));
        expect(visited).toEqual(ascending(expected));
        expect(bits.popcount()).toBe(expected.size);
        for (let ordinal = 0; ordinal < 320; ordinal += 1) {
          expect(bits.has(ordinal)).toBe(expected.has(ordinal));
        }
      }),
      runs(30),
    );
  });

  test('combines like a Set, whatever the lengths', () => {
    fc.assert(
      fc.property(ordinals, ordinals, (left, right) => {
        const [a, b] = [new Set(left), new Set(right)];
        const of = (members: Iterable<number>): Bitset => Bitset.of(members);
        expect([...of(a).or(of(b))]).toEqual(ascending(new Set([...a, ...b])));
        expect([...of(a).and(of(b))]).toEqual(ascending(left.filter((n) => b.has(n))));
        expect([...of(a).andNot(of(b))]).toEqual(ascending(left.filter((n) => !b.has(n))));
        expect(of(a).intersects(of(b))).toBe(left.some((n) => b.has(n)));
        expect(of(a).equals(of(b))).toBe(
          left.length === right.length && left.every((n) => b.has(n)),
        );
      }),
      runs(30),
    );
  });

  test('counts the union of any number of them', () => {
    fc.assert(
      fc.property(fc.array(ordinals, { maxLength: 9 }), (lists) => {
        const sets = lists.map((members) => Bitset.of(members));
        expect(Bitset.unionCount(sets)).toBe(new Set(lists.flat()).size);
        expect(sets.map((set) => [...set])).toEqual(lists.map(ascending));
      }),
      runs(30),
    );
  });

  test('is equal to the same members in a longer bitset', () => {
    const long = new Bitset(10_000);
    long.set(3);
    expect(Bitset.of([3]).equals(long)).toBe(true);
    expect(long.equals(Bitset.of([3]))).toBe(true);
  });

  test('changes apart from its clone', () => {
    const original = Bitset.of([1, 31, 32, 63]);
    const copy = original.clone();
    copy.set(1000);
    copy.clear(31);
    expect([...original]).toEqual([1, 31, 32, 63]);
    expect([...copy]).toEqual([1, 32, 63, 1000]);
  });

  test('counts every bit of a word', () => {
    const full = Bitset.of(Array.from({ length: 96 }, (_, i) => i));
    expect(full.popcount()).toBe(96);
  });
});

describe('an ordinal set', () => {
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i * 3);
  const setOf = (members: Iterable<number>): OrdinalSet => {
    const made = new OrdinalSet();
    for (const member of members) made.add(member);
    return made;
  };
  const membersOf = (set: OrdinalSet): number[] => {
    const target = new Bitset();
    set.addTo(target);
    return [...target];
  };

  test('keeps its members while it grows dense and shrinks again', () => {
    const set = new OrdinalSet();
    const members = upTo(1500);
    for (const member of members.toReversed()) set.add(member);
    expect(set.size).toBe(1500);
    expect(membersOf(set)).toEqual(members);
    for (const member of members.slice(100)) set.delete(member);
    expect(set.size).toBe(100);
    expect(membersOf(set)).toEqual(members.slice(0, 100));
    expect(set.has(3)).toBe(true);
    expect(set.has(4)).toBe(false);
  });

  test.each([
    ['two lists', upTo(5), [0, 1, 2, 3]],
    ['a list and a bitset', [2, 3, 6, 9000], upTo(2000)],
    ['two bitsets', upTo(2000), Array.from({ length: 2000 }, (_, i) => i * 2)],
    ['something and nothing', upTo(2000), []],
  ])('intersects %s', (_, left, right) => {
    const target = Bitset.of([77_777]);
    OrdinalSet.addIntersection([setOf(left), setOf(right)], target);
    expect([...target]).toEqual([...left.filter((n) => right.includes(n)), 77_777]);
  });
});
