import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  policyUse,
  unusedAccess,
  unusedMembers,
  UsedPairs,
} from '../../../src/access/analysis/index.js';
import { Bitset, PolicyIndex } from '../../../src/kernel/policy/index.js';
import { IDS, sortedByBytes } from './random-network.js';
import { granted, policiesOf, RUNS, SIDES, worldOf, worlds } from './used-worlds.js';
import { runs } from '../../support/runs.js';
import { inSlices, toEnd } from '../../../src/base/slices.js';

/** Access that nobody used, against the definitions. */

describe('the list', () => {
  const asked = fc.record(
    {
      type: fc.constantFrom('Dial' as const, 'Bind' as const),
      identities: fc.subarray(IDS),
      services: fc.subarray(IDS),
    },
    { requiredKeys: [] },
  );

  test('has each policy with pairs that nobody used, and their number', () => {
    fc.assert(
      fc.property(worlds, asked, ([rows, pairs], { type, identities, services }) => {
        const { network, index, used, isUsed } = worldOf(rows, pairs);
        const ordinals = (kind: 'identity' | 'service', ids: string[]): Bitset =>
          Bitset.of(ids.flatMap((id) => index.ordinalOf(kind, id) ?? []));
        const ends = {
          ...(identities && { identities: ordinals('identity', identities) }),
          ...(services && { services: ordinals('service', services) }),
        };
        const expected = policiesOf(network)
          .filter((policy) => type === undefined || policy.type === type)
          .map((policy) => {
            const counted = granted(network, policy).filter(
              ([identityId, serviceId]) =>
                identities?.includes(identityId) !== false &&
                services?.includes(serviceId) !== false,
            );
            const unused = counted.filter((pair) => !isUsed(pair));
            return {
              policyId: policy.id,
              type: policy.type,
              grantedCount: counted.length,
              unusedCount: unused.length,
            };
          })
          .filter(({ unusedCount }) => unusedCount > 0);
        const listed = toEnd(unusedAccess(index, used, { type, ends }));
        expect(listed).toHaveLength(expected.length);
        expect(listed).toEqual(expect.arrayContaining(expected));
        const counts = listed.map(({ unusedCount }) => unusedCount);
        expect(counts).toEqual(counts.toSorted((a, b) => b - a));
      }),
      RUNS,
    );
  });

  test('names the members of a policy that take part in no used pair', () => {
    fc.assert(
      fc.property(worlds, ([rows, pairs]) => {
        const { network, index, used, isUsed } = worldOf(rows, pairs);
        for (const policy of policiesOf(network)) {
          const usedOnes = granted(network, policy).filter(isUsed);
          const indexed = index.policy('servicePolicy', policy.id);
          if (!indexed) throw new Error('no such policy');
          const use = policyUse(index, used, indexed);
          for (const [i, side] of SIDES.entries()) {
            const users = new Set(usedOnes.map((pair) => pair[i]));
            const expected = sortedByBytes(
              network.members(policy, 'servicePolicy', side).filter((id) => !users.has(id)),
            );
            const all = toEnd(unusedMembers(index, use, side, { count: 5_000, after: undefined }));
            expect(all).toEqual({ ids: expected, totalCount: expected.length });
            const page = { count: 3, after: expected[1] };
            const { ids } = toEnd(unusedMembers(index, use, side, page));
            expect(ids).toEqual(expected.length > 1 ? expected.slice(2, 5) : expected.slice(0, 3));
          }
        }
      }),
      runs(9),
    );
  });
});

test('a large network is read in short steps', async () => {
  const of = new PolicyIndex();
  for (let i = 0; i < 5_000; i += 1) {
    of.putEntity('identity', { id: `i${i}`, attributes: [`a${i % 50}`] });
  }
  for (let i = 0; i < 500; i += 1)
    of.putEntity('service', { id: `s${i}`, attributes: [`b${i % 20}`] });
  const used = new UsedPairs(of);
  for (let i = 0; i < 5_000; i += 1)
    used.add(`i${i}`, [`s${i % 500}`, `s${(i * 7) % 500}`], 'Dial');
  for (let i = 0; i < 300; i += 1) {
    const roles = {
      identities: [`#a${i % 50}`, '#a1'],
      services: [`#b${i % 20}`],
      postureChecks: [],
    };
    of.putPolicy('servicePolicy', { id: `p${i}`, type: 'Dial', semantic: 'AnyOf', roles });
  }
  let pauses = 0;
  const list = await inSlices(unusedAccess(of, used, {}), {
    now: () => pauses,
    yieldNow: () => Promise.resolve(void (pauses += 1)),
    slice: 0,
  });
  expect(list).toHaveLength(300);
  // Others can run after each policy.
  expect(pauses).toBe(300);
});
