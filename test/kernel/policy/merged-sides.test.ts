import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergedContains, mergeSides } from '../../../src/kernel/policy/merged-sides.js';
import { member } from '../../../src/kernel/policy/roles.js';
import { runs } from '../../support/runs.js';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

const sides = fc.array(
  fc.record({
    roles: fc.record({
      all: fc.integer({ min: 0, max: 30 }).map((n) => n === 0),
      attributes: fc.subarray(NAMES),
      ids: fc.subarray(['1', '2'], { maxLength: 1 }),
    }),
    semantic: fc.constantFrom('AllOf' as const, 'AllOf' as const, 'AnyOf' as const),
  }),
  { maxLength: 6 },
);
/** Every set of the names, held by somebody listed now and then and by somebody never listed. */
const EVERYONE = Array.from({ length: 2 ** NAMES.length }, (_, bits) =>
  NAMES.filter((_, i) => (bits >> i) % 2 === 1),
).flatMap((attributes) => ['1', '3'].map((id) => ({ id, attributes })));

test('merged sides contain what at least one of the sides contains', () => {
  fc.assert(
    fc.property(sides, (many) => {
      const merged = mergeSides(many);
      expect(EVERYONE.filter((someone) => mergedContains(merged, someone))).toEqual(
        EVERYONE.filter((someone) =>
          many.some(({ roles, semantic }) => member(roles, semantic, someone)),
        ),
      );
    }),
    runs(200),
  );
});

test('no AllOf list that is left implies another one', () => {
  fc.assert(
    fc.property(sides, (many) => {
      const { allOf, anyOf } = mergeSides(many);
      for (const list of allOf) {
        expect(list.some((name) => anyOf.has(name))).toBe(false);
        const shorter = allOf.filter((other) => other.every((name) => list.includes(name)));
        expect(shorter).toEqual([list]);
      }
    }),
    runs(400),
  );
});
