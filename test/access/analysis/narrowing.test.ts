import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { narrowing, UsedPairs } from '../../../src/access/analysis/index.js';
import type { Narrowing } from '../../../src/access/analysis/index.js';
import { PolicyIndex } from '../../../src/kernel/policy/index.js';
import type { AnyPolicyValue } from '../../../src/kernel/policy/index.js';
import type { Network } from '../../kernel/policy/network.js';
import { runs } from '../../support/runs.js';
import { sortedByBytes } from './random-network.js';
import {
  changed,
  granted,
  keyOf,
  narrowed,
  policiesOf,
  RUNS,
  SIDES,
  worldOf,
  worlds,
  type Side,
} from './used-worlds.js';
import { toEnd } from '../../../src/base/slices.js';

/** The changes that take unused access away, against the definitions. */

describe('the changes of a policy', () => {
  test('take no used pair away, and grant nothing', () => {
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const world = worldOf(rows, pairs);
        const { network, isUsed } = world;
        for (const policy of policiesOf(network)) {
          const before = granted(network, policy);
          const after = granted(network, changed(policy, narrowed(world, policy.id)));
          const keysAfter = new Set(after.map(keyOf));
          expect(before.filter(isUsed).filter((pair) => !keysAfter.has(keyOf(pair)))).toEqual([]);
          const keysBefore = new Set(before.map(keyOf));
          expect(after.filter((pair) => !keysBefore.has(keyOf(pair)))).toEqual([]);
        }
      }),
      RUNS,
    );
  });

  test('are a deletion exactly if no pair of the policy was used', () => {
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const world = worldOf(rows, pairs);
        for (const policy of policiesOf(world.network)) {
          const isDeleted = changed(policy, narrowed(world, policy.id)) === undefined;
          expect(isDeleted).toBe(!granted(world.network, policy).some(world.isUsed));
        }
      }),
      RUNS,
    );
  });

  /** What can be removed by itself: a role, or all attributes of an AllOf list. */
  const termsOf = ({ semantic, roles }: AnyPolicyValue, side: Side): string[][] => {
    const all = roles[side] ?? [];
    const attributes = all.filter((role) => role.startsWith('#') && role !== '#all');
    const others = all.filter((role) => !attributes.includes(role)).map((role) => [role]);
    const lists = semantic === 'AllOf' ? [attributes] : attributes.map((role) => [role]);
    return [...others, ...lists.filter((list) => list.length > 0)];
  };

  /** The members of a side that only a term selects. */
  function onlyBy(network: Network, policy: AnyPolicyValue, side: Side, term: string[]): string[] {
    const rest = (policy.roles[side] ?? []).filter((role) => !term.includes(role));
    const without = { ...policy, roles: { ...policy.roles, [side]: rest } };
    const others = new Set(network.members(without, 'servicePolicy', side));
    return network.members(policy, 'servicePolicy', side).filter((id) => !others.has(id));
  }

  test('leave no role that grants only unused pairs, or that few ids can replace', () => {
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const world = worldOf(rows, pairs);
        const { network, isUsed } = world;
        for (const policy of policiesOf(network)) {
          const narrower = changed(policy, narrowed(world, policy.id));
          if (!narrower) continue;
          const usedOnes = granted(network, policy).filter(isUsed);
          for (const [i, side] of SIDES.entries()) {
            const users = new Set(usedOnes.map((pair) => pair[i]));
            for (const term of termsOf(narrower, side)) {
              // No id in its place would select the identities that are pending.
              if (side === 'identities' && term.includes('#pending')) continue;
              const alone = onlyBy(network, narrower, side, term);
              const ofUsers = alone.filter((id) => users.has(id));
              const isUseless = ofUsers.length < alone.length && ofUsers.length <= 50;
              expect([policy.id, side, term, isUseless]).toEqual([policy.id, side, term, false]);
            }
          }
        }
      }),
      RUNS,
    );
  });

  test('remove and add no role without effect', () => {
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const world = worldOf(rows, pairs);
        const { network } = world;
        const termsOnly = (of: AnyPolicyValue, other: AnyPolicyValue, side: Side): string[][] => {
          const others = new Set(termsOf(other, side).map((term) => term.toSorted().join()));
          return termsOf(of, side).filter((term) => !others.has(term.toSorted().join()));
        };
        for (const policy of policiesOf(network)) {
          const narrower = changed(policy, narrowed(world, policy.id));
          if (!narrower) continue;
          for (const side of SIDES) {
            const membersOf = (of: AnyPolicyValue): string[] =>
              network.members(of, 'servicePolicy', side);
            for (const term of termsOnly(policy, narrower, side)) {
              const list = [...(narrower.roles[side] ?? []), ...term];
              const restored = { ...narrower, roles: { ...narrower.roles, [side]: list } };
              expect(membersOf(restored).length).toBeGreaterThan(membersOf(narrower).length);
            }
            for (const term of termsOnly(narrower, policy, side)) {
              expect(onlyBy(network, narrower, side, term)).toHaveLength(1);
            }
          }
        }
      }),
      RUNS,
    );
  });

  test('come with the roles that stay too broad, and what each removal would take away', () => {
    let seen = 0;
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const world = worldOf(rows, pairs);
        const { network, isUsed } = world;
        for (const policy of policiesOf(network)) {
          const answer = narrowed(world, policy.id);
          const narrower = changed(policy, answer);
          if (!narrower) {
            expect(answer.broadRoles).toEqual([]);
            continue;
          }
          const usedOnes = granted(network, policy).filter(isUsed);
          const expected = [...SIDES.entries()].flatMap(([i, side]) =>
            termsOf(narrower, side)
              .filter(([role]) => role?.startsWith('#'))
              .flatMap((term) => {
                const users = new Set(usedOnes.map((pair) => pair[i]));
                const alone = { ...narrower, roles: { ...narrower.roles, [side]: term } };
                const members = network.members(alone, 'servicePolicy', side);
                const usedMemberCount = members.filter((id) => users.has(id)).length;
                if (usedMemberCount === members.length) return [];
                const exclusive = onlyBy(network, narrower, side, term);
                const lost = granted(network, narrower).filter((pair) =>
                  exclusive.includes(pair[i] ?? ''),
                );
                const usedCount = lost.filter(isUsed).length;
                return [
                  {
                    side,
                    roles: sortedByBytes(term),
                    memberCount: members.length,
                    usedMemberCount,
                    usedCount,
                    unusedCount: lost.length - usedCount,
                  },
                ];
              }),
          );
          const shownRoles = answer.broadRoles.map((one) =>
            Object.assign({}, one, { roles: sortedByBytes(one.roles) }),
          );
          expect(shownRoles).toHaveLength(expected.length);
          expect(shownRoles).toEqual(expect.arrayContaining(expected));
          seen += expected.length;
        }
      }),
      runs(200),
    );
    expect(seen).toBeGreaterThan(10);
  });
});

describe('a policy in which', () => {
  function index(policy: Partial<AnyPolicyValue> = {}): PolicyIndex {
    const of = new PolicyIndex();
    for (let i = 0; i < 60; i += 1) {
      const attributes = ['staff', ...(i < 10 ? ['berlin'] : []), ...(i === 0 ? ['boss'] : [])];
      of.putEntity('identity', { id: `i${i}`, attributes });
    }
    for (const id of ['wiki', 'mail']) of.putEntity('service', { id, attributes: ['docs'] });
    of.putPolicy('servicePolicy', {
      id: 'p',
      semantic: 'AnyOf',
      type: 'Dial',
      ...policy,
      roles: {
        identities: ['#staff'],
        services: ['@wiki', '@mail'],
        postureChecks: [],
        ...policy.roles,
      },
    });
    return of;
  }

  const changesOf = (of: PolicyIndex, ids: readonly string[], services = ['wiki']): Narrowing => {
    const used = new UsedPairs(of);
    for (const id of ids) used.add(id, services, 'Dial');
    const policy = of.policy('servicePolicy', 'p');
    if (!policy) throw new Error('no such policy');
    return toEnd(narrowing(of, used, policy));
  };
  const some = (count: number): string[] => Array.from({ length: count }, (_, i) => `i${i}`);
  const update = (roles: object): object => ({ kind: 'servicePolicy', id: 'p', update: { roles } });

  test('50 of 60 use a role gets their ids, and loses the service that nobody used', () => {
    const ids = some(50).map((id) => `@${id}`);
    expect(changesOf(index(), some(50))).toEqual({
      changes: [update({ identities: sortedByBytes(ids), services: ['@wiki'] })],
      broadRoles: [],
    });
  });

  test('51 of 60 use a role keeps it, and tells what its removal would cost', () => {
    expect(changesOf(index(), some(51))).toEqual({
      changes: [update({ services: ['@wiki'] })],
      broadRoles: [
        {
          side: 'identities',
          roles: ['#staff'],
          memberCount: 60,
          usedMemberCount: 51,
          unusedCount: 9,
          usedCount: 51,
        },
      ],
    });
  });

  test('all who use a role have another one keeps the narrower one alone', () => {
    const of = index({ roles: { identities: ['#berlin', '#staff', '@i59', '@nobody'] } });
    expect(changesOf(of, some(10), ['wiki', 'mail']).changes).toEqual([
      update({ identities: ['#berlin', '@nobody'] }),
    ]);
  });

  test('members must have two attributes gets ids in place of both', () => {
    const of = index({ semantic: 'AllOf', roles: { identities: ['#berlin', '#staff'] } });
    expect(changesOf(of, ['i3'], ['wiki', 'mail']).changes).toEqual([
      update({ identities: ['@i3'] }),
    ]);
  });

  test('everybody may do everything is narrowed on both sides', () => {
    const of = index({ roles: { identities: ['#all', '#boss'], services: ['#all', '#docs'] } });
    expect(changesOf(of, ['i0', 'i7']).changes).toEqual([
      update({ identities: ['#boss', '@i7'], services: ['@wiki'] }),
    ]);
  });

  test('two roles share an unused member loses it, without an id that another role selects', () => {
    const of = index({ roles: { identities: ['#staff', '#a', '#q', '#t'] } });
    for (const [id, ...attributes] of [
      ['x', 'a', 't'],
      ['x2', 'q'],
      ['shared', 'q', 't'],
      ['i59', 'a', 'staff'],
    ]) {
      of.putEntity('identity', { id: id ?? '', attributes });
    }
    expect(changesOf(of, [...some(51), 'x', 'x2'], ['wiki', 'mail']).changes).toEqual([
      update({ identities: ['#a', '#staff', '@x2'] }),
    ]);
  });

  test('everything was used has no changes', () => {
    const of = index({ roles: { identities: ['#boss'] } });
    expect(changesOf(of, ['i0'], ['wiki', 'mail'])).toEqual({ changes: [], broadRoles: [] });
  });
});
