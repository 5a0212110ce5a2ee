import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newViolations, violatingPairs, violations } from '../../../src/access/analysis/index.js';
import type { AccessRule, RowChange, Violation } from '../../../src/access/analysis/index.js';
import type { Network } from '../../kernel/policy/network.js';
import {
  allPairs,
  applyTo,
  changesOf,
  IDS,
  indexOf,
  isMember,
  networkAfter,
  networkOf,
  roles,
  sortedByBytes,
} from './random-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

const rule = fc.record({
  kind: fc.constantFrom('MUST_REACH' as const, 'MUST_NEVER_REACH' as const),
  identityRoles: roles(IDS.slice(0, 10)),
  serviceRoles: roles(IDS.slice(0, 10)),
  semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
  type: fc.constantFrom('Dial' as const, 'Bind' as const),
});

const rules: fc.Arbitrary<AccessRule[]> = fc
  .array(rule, { minLength: 1, maxLength: 12, size: 'max' })
  .map((list) => list.map((made, i) => ({ ...made, id: `rule-${i}` })));

const known = new WeakMap<Network, Set<string>>();

function accessIn(network: Network): Set<string> {
  const held = known.get(network) ?? new Set(allPairs(network).map((pair) => pair.join('\0')));
  known.set(network, held);
  return held;
}

/** All pairs that a rule is violated by, in order, by definition. */
function violating(network: Network, given: AccessRule): Violation[] {
  const { id, kind, semantic, type } = given;
  const policy = {
    id,
    semantic,
    roles: { identities: given.identityRoles, services: given.serviceRoles },
  };
  const access = accessIn(network);
  const members = (side: 'identities' | 'services'): string[] =>
    [...network.entities[side === 'identities' ? 'identity' : 'service'].values()]
      .filter((entity) => isMember(policy, side, entity) || isForbidden(side, entity))
      .map((entity) => entity.id);
  // A rule that forbids access to all, or to an id, counts before the approval, too.
  const isForbidden = (side: 'identities' | 'services', { id: own }: { id: string }): boolean =>
    kind === 'MUST_NEVER_REACH' &&
    ['#all', `@${own}`].some((role) => policy.roles[side].includes(role));
  return sortedByBytes(members('identities')).flatMap((identityId) =>
    sortedByBytes(members('services'))
      .filter((serviceId) => {
        const reaches = access.has([identityId, serviceId, type].join('\0'));
        return reaches === (kind === 'MUST_NEVER_REACH');
      })
      .map((serviceId) => ({ ruleId: id, identityId, serviceId, type })),
  );
}

describe('access rules', () => {
  test('are violated by the first of the pairs that the definition finds', () => {
    fc.assert(
      fc.property(networkOf(), rules, (rows, given) => {
        const network = networkAfter(rows);
        const expected = given.flatMap((one) => violating(network, one).slice(0, 1));
        expect(toEnd(violations(indexOf(rows), given))).toEqual(expected);
      }),
      runs(32),
    );
  });

  test('are violated by all the pairs that the definition finds, and by no others', () => {
    fc.assert(
      fc.property(networkOf(), rules, (rows, given) => {
        const network = networkAfter(rows);
        for (const one of given) {
          const pairs = toEnd(violatingPairs(indexOf(rows), one));
          const expected = violating(network, one);
          const listedPairs = [...pairs].map(({ identityId, serviceId, type }) => ({
            ruleId: one.id,
            identityId,
            serviceId,
            type,
          }));
          expect(listedPairs).toEqual(expected);
          expect(pairs.totalCount).toBe(expected.length);
        }
      }),
      runs(16),
    );
  });

  test('are violated anew by the first pair that was not wrong before the change', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(4), rules, (rows, changes, given) => {
        const [before, after] = [networkAfter(rows), networkAfter(rows, changes)];
        const expected = given.flatMap((one) => {
          const known = new Set(violating(before, one).map((pair) => JSON.stringify(pair)));
          return violating(after, one)
            .filter((pair) => !known.has(JSON.stringify(pair)))
            .slice(0, 1);
        });
        expect(toEnd(newViolations(indexOf(rows), changes, given))).toEqual(expected);
      }),
      runs(48),
    );
  });

  test('that hold before a change and are not violated anew hold after it', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(6), rules, (rows, changes, given) => {
        const index = indexOf(rows);
        const broken = new Set(toEnd(violations(index, given)).map(({ ruleId }) => ruleId));
        const held = given.filter(({ id }) => !broken.has(id));
        const anew = toEnd(newViolations(index, changes, held));
        applyTo(index, changes);
        expect(toEnd(violations(index, held))).toEqual(anew);
      }),
      runs(20),
    );
  });

  const asked = (
    kind: AccessRule['kind'],
    identityRoles: string[],
    serviceRoles: string[],
  ): AccessRule => ({
    id: 'rule',
    kind,
    identityRoles,
    serviceRoles,
    semantic: 'AllOf',
    type: 'Dial',
  });

  test('hold of nobody', () => {
    const index = indexOf([{ kind: 'identity', id: 'i', value: { attributes: [] } }]);
    const empty = [asked('MUST_REACH', [], ['#all']), asked('MUST_REACH', ['#all'], ['@gone'])];
    expect(toEnd(violations(index, empty))).toEqual([]);
  });

  test.each([
    ['service', { kind: 'service', id: 's', update: { attributes: ['new'] } }],
    ['identity', { kind: 'identity', id: 'i', update: { attributes: ['staff', 'new'] } }],
  ] as const)('are kept when another policy has the changed %s instead', (_, update) => {
    const policy = (id: string, identities: string[], services: string[]): RowChange => ({
      kind: 'servicePolicy',
      id,
      value: {
        type: 'Dial',
        semantic: 'AnyOf',
        roles: { identities, services, postureChecks: [] },
      },
    });
    const index = indexOf([
      { kind: 'identity', id: 'i', value: { attributes: ['staff'] } },
      { kind: 'service', id: 's', value: { attributes: [] } },
      policy('old', ['#staff'], ['@s']),
      policy('instead-1', ['#staff'], ['#new']),
      policy('instead-2', ['#new'], ['@s']),
    ]);
    const old = { kind: 'servicePolicy', id: 'old', value: null } as const;
    const given = [asked('MUST_REACH', ['#staff'], ['@s'])];
    expect(toEnd(newViolations(index, [old, update], given))).toEqual([]);
    expect(toEnd(newViolations(index, [old], given))).toEqual([
      { ruleId: 'rule', identityId: 'i', serviceId: 's', type: 'Dial' },
    ]);
  });

  test('take no notice of routers and posture', () => {
    const index = indexOf([]);
    const changes = [
      { kind: 'edgeRouter', id: 'r', value: { attributes: [] } },
      { kind: 'postureCheck', id: 'c', value: { attributes: [] } },
    ] as const;
    const given = [asked('MUST_REACH', ['#all'], ['#all'])];
    expect(toEnd(newViolations(index, changes, given))).toEqual([]);
  });
});
