import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RoleCells } from '../../../src/access/analysis/access-map/role-cells.js';
import { RoleHolders } from '../../../src/access/analysis/access-map/role-holders.js';
import { Bitset, member, parseRoles } from '../../../src/kernel/policy/index.js';
import type { MembershipSide, PolicyIndex } from '../../../src/kernel/policy/index.js';
import { IDS, indexOf, networkAfter, networkOf, roles } from './random-network.js';
import { costlyRuns } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

const cellsOf = (index: PolicyIndex, sides: readonly MembershipSide[], shown: Bitset): RoleCells =>
  toEnd(
    RoleCells.of(
      new RoleHolders(index, 'identity', shown, true),
      sides,
      index.ordinalBound('identity'),
    ),
  );

const sidesOf = fc.array(
  fc.record({
    roles: roles(IDS.slice(0, 60)).map(parseRoles),
    semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
  }),
  { maxLength: 20, size: 'max' },
);

test('a side is the union of its cells, which have no entity in common', () => {
  fc.assert(
    fc.property(networkOf(), sidesOf, fc.subarray(IDS), (rows, sides, shownIds) => {
      const index = indexOf(rows);
      const shown = Bitset.of(shownIds.flatMap((id) => index.ordinalOf('identity', id) ?? []));
      const cells = cellsOf(index, sides, shown);
      const entities = [...networkAfter(rows).entities.identity.values()];
      for (const [number, { roles: listed, semantic }] of sides.entries()) {
        const ids = [...cells.of(number)].flatMap((cell) =>
          [...cells.members.at(cell)].flatMap((at) => index.idsOf('identity', Bitset.of([at]))),
        );
        expect(ids.sort()).toEqual(
          entities
            .filter((entity) => shownIds.includes(entity.id) && member(listed, semantic, entity))
            .map(({ id }) => id)
            .sort(),
        );
      }
    }),
    costlyRuns(60),
  );
});

test('no two cells are in the same sides', () => {
  fc.assert(
    fc.property(networkOf(), sidesOf, (rows, sides) => {
      const index = indexOf(rows);
      const all = Bitset.of(Array.from({ length: index.ordinalBound('identity') }, (_, i) => i));
      const cells = cellsOf(index, sides, all);
      const sidesWith = Array.from({ length: cells.members.count }, (_, cell) =>
        sides
          .flatMap((__, number) => ([...cells.of(number)].includes(cell) ? [number] : []))
          .join(),
      );
      expect(new Set(sidesWith).size).toBe(sidesWith.length);
      expect(sidesWith).not.toContain('');
    }),
    costlyRuns(60),
  );
});

test('attributes that no side names together divide each other in no cell', () => {
  const index = indexOf([]);
  for (let i = 0; i < 600; i += 1) {
    index.putEntity('identity', { id: `i${i}`, attributes: [`team${i % 20}`, `unit${i % 31}`] });
  }
  const named = (...names: string[]): MembershipSide => ({
    roles: parseRoles(names.map((name) => `#${name}`)),
    semantic: 'AnyOf',
  });
  const teams = Array.from({ length: 20 }, (_, i) => named(`team${i}`));
  const units = Array.from({ length: 31 }, (_, i) => named(`unit${i}`));
  const all = Bitset.of(Array.from({ length: 600 }, (_, i) => i));
  expect(cellsOf(index, [...teams, ...units], all).members.count).toBe(51);
  // Two teams in the same sides are one cell.
  expect(cellsOf(index, [named('team1', 'team2')], all).members.count).toBe(1);
});
