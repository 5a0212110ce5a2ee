import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Access } from '../../../src/kernel/policy/access-set.js';
import { Bitset } from '../../../src/kernel/policy/bitset.js';
import { PolicyIndex } from '../../../src/kernel/policy/policy-index.js';
import { ENTITY_KINDS, POLICY_KINDS } from '../../../src/kernel/policy/policy-model.js';
import type { PolicyChange, ServicePolicyType } from '../../../src/kernel/policy/policy-model.js';
import { parseRoles } from '../../../src/kernel/policy/roles.js';
import { ALL_SIDES, ENTITY_IDS, history, isMember, Network, sideKind, written } from './network.js';
import { runs } from '../../support/runs.js';

function indexAfter(changes: readonly PolicyChange[]): PolicyIndex {
  const index = new PolicyIndex();
  for (const change of changes) index.apply(change);
  return index;
}

/** An index that never saw what is gone. */
function rebuilt(network: Network): PolicyIndex {
  const index = new PolicyIndex();
  for (const kind of ENTITY_KINDS) {
    for (const entity of network.entities[kind].values()) index.putEntity(kind, entity);
  }
  for (const kind of POLICY_KINDS) {
    for (const { id, ...value } of network.policies[kind].values()) {
      index.apply({ kind, id, revision: 0, value } as PolicyChange);
    }
  }
  return index;
}

const idsOf = (values: Iterable<{ id: string }>): string[] =>
  [...values].map(({ id }) => id).sort();

/** Everything the index says about membership, as plain data that can be compared. */
function answersOf(index: PolicyIndex): unknown {
  const describeAccess = (access: Access): unknown => ({
    ids: access.ids().sort(),
    count: access.count(),
    has: [...ENTITY_IDS, 'nobody'].filter((id) => access.has(id)),
  });
  return {
    counts: [...ENTITY_KINDS, ...POLICY_KINDS].map((kind) => index.count(kind)),
    attributes: ENTITY_KINDS.map((kind) => index.attributesInUse(kind)),
    usage: ENTITY_KINDS.map((kind) => index.attributeUsage(kind, true)),
    policies: POLICY_KINDS.map((kind) => idsOf(index.policies(kind))),
    policiesOf: ENTITY_IDS.map((id) =>
      ALL_SIDES.map(({ kind, side }) => idsOf(index.policiesOf(kind, side, id))),
    ),
    access: ENTITY_IDS.map((id) => [
      describeAccess(index.accessibleServices(id)),
      describeAccess(index.accessingIdentities(id)),
      describeAccess(index.routersOfIdentity(id)),
      describeAccess(index.identitiesOfRouter(id)),
      describeAccess(index.routersOfService(id)),
      describeAccess(index.servicesOfRouter(id)),
    ]),
  };
}

describe('the index after any history', () => {
  test('knows the members of every side', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const { kind, side } of ALL_SIDES) {
          for (const policy of network.policies[kind].values()) {
            const expected = network.members(policy, kind, side);
            const members = index.members(kind, policy.id, side);
            expect(index.idsOf(sideKind(kind, side), members).sort()).toEqual(expected);
            expect(members.popcount()).toBe(expected.length);
            const named = network.members(written(policy), kind, side);
            expect(index.memberCount(kind, policy.id, side)).toBe(named.length);
          }
        }
      }),
      runs(40),
    );
  });

  test('knows the policies of every entity', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const { kind, side } of ALL_SIDES) {
          for (const id of ENTITY_IDS) {
            const expected = idsOf(network.policiesOf(kind, side, id));
            expect(idsOf(index.policiesOf(kind, side, id))).toEqual(expected);
            const naming = network.policiesNaming(kind, side, id);
            expect(index.policyCountOf(kind, side, id)).toBe(naming.length);
          }
        }
      }),
      runs(40),
    );
  });

  test('knows who reaches what, in both directions', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const id of ENTITY_IDS) {
          for (const [access, expected] of accesses(index, network, id)) {
            expect(access.ids().sort()).toEqual(expected);
            expect(access.count()).toBe(expected.length);
            expect(ENTITY_IDS.filter((other) => access.has(other))).toEqual(expected);
          }
        }
      }),
      runs(40),
    );
  });

  test('knows permissions, linking policies and common routers of every pair', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const identity of ENTITY_IDS) {
          const reached = (type: ServicePolicyType): string[] =>
            network.reach('servicePolicy', 'identities', identity, 'services', type);
          const page = index.permissionsFor(identity, ENTITY_IDS);
          for (const service of ENTITY_IDS) {
            const expected = (['Bind', 'Dial'] as const).filter((t) =>
              reached(t).includes(service),
            );
            expect(index.permissions(identity, service)).toEqual(expected);
            expect(page.get(service)).toEqual(expected);
            const linking = index.linkingPolicies(identity, service);
            expect(new Set(linking.map(({ type }) => type))).toEqual(new Set(expected));
            const common = network
              .reach('edgeRouterPolicy', 'identities', identity, 'edgeRouters')
              .filter((router) =>
                network
                  .reach('serviceEdgeRouterPolicy', 'services', service, 'edgeRouters')
                  .includes(router),
              );
            expect(index.commonRouters(identity, service)).toEqual(common);
          }
        }
      }),
      runs(20),
    );
  });

  test('equals an index built from the outcome', () => {
    fc.assert(
      fc.property(history, (changes) => {
        expect(answersOf(indexAfter(changes))).toEqual(answersOf(rebuilt(Network.after(changes))));
      }),
      runs(40),
    );
  });

  test('is the same in whatever order the changes arrive, however often', () => {
    const shuffled = history.chain((changes) =>
      fc.tuple(
        fc.constant(changes),
        fc.shuffledSubarray([...changes, ...changes], { minLength: changes.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([changes, arrivals]) => {
        expect(answersOf(indexAfter(arrivals))).toEqual(answersOf(indexAfter(changes)));
      }),
      runs(40),
    );
  });
});

function accesses(index: PolicyIndex, network: Network, id: string): [Access, string[]][] {
  const served = ([undefined, 'Dial', 'Bind'] as const).flatMap((type): [Access, string[]][] => [
    [
      index.accessibleServices(id, type),
      network.reach('servicePolicy', 'identities', id, 'services', type),
    ],
    [
      index.accessingIdentities(id, type),
      network.reach('servicePolicy', 'services', id, 'identities', type),
    ],
  ]);
  return [
    ...served,
    [
      index.routersOfIdentity(id),
      network.reach('edgeRouterPolicy', 'identities', id, 'edgeRouters'),
    ],
    [
      index.identitiesOfRouter(id),
      network.reach('edgeRouterPolicy', 'edgeRouters', id, 'identities'),
    ],
    [
      index.routersOfService(id),
      network.reach('serviceEdgeRouterPolicy', 'services', id, 'edgeRouters'),
    ],
    [
      index.servicesOfRouter(id),
      network.reach('serviceEdgeRouterPolicy', 'edgeRouters', id, 'services'),
    ],
  ];
}

describe('the index', () => {
  const entity = (id: string, revision: number, attributes: string[] | null): PolicyChange => ({
    kind: 'identity',
    id,
    revision,
    value: attributes && { attributes },
  });

  test('gives every entity a place of its own, below the bound', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const kind of ENTITY_KINDS) {
          const ids = [...network.entities[kind].keys()];
          const ordinals = ids.map((id) => index.ordinalOf(kind, id) ?? -1);
          expect(new Set(ordinals).size).toBe(ids.length);
          expect(Math.max(-1, ...ordinals)).toBeLessThan(index.ordinalBound(kind));
          expect(ids.map((id, i) => index.idsOf(kind, Bitset.of([ordinals[i] ?? 0])))).toEqual(
            ids.map((id) => [id]),
          );
          expect(index.ordinalOf(kind, 'nobody')).toBeUndefined();
        }
      }),
      runs(40),
    );
  });

  test('unites sides, and finds the policies of an entity it does not hold', () => {
    fc.assert(
      fc.property(history, (changes) => {
        const [index, network] = [indexAfter(changes), Network.after(changes)];
        for (const { kind, side } of ALL_SIDES) {
          const policies = [...network.policies[kind].values()];
          const sides = policies.map(({ semantic, roles }) => ({
            semantic,
            roles: parseRoles(roles[side] ?? []),
          }));
          const united = index.idsOf(
            sideKind(kind, side),
            index.union(sideKind(kind, side), sides),
          );
          const expected = policies.flatMap((policy) => network.members(policy, kind, side));
          expect(united.sort()).toEqual([...new Set(expected)].sort());
          const stranger = { id: 'e9', attributes: ['a', 'b'] };
          expect(idsOf(index.policiesWith(kind, side, stranger))).toEqual(
            idsOf(policies.filter((policy) => isMember(policy, side, stranger))),
          );
        }
      }),
      runs(40),
    );
  });

  test('tells its watchers what every change replaced, until they stop', () => {
    const index = new PolicyIndex();
    index.putEntity('identity', { id: 'other', attributes: [] });
    const seen: unknown[] = [];
    const stop = index.watch((replaced) => seen.push(replaced));
    index.putEntity('identity', { id: 'i', attributes: ['a'] });
    index.apply({ kind: 'identity', id: 'i', revision: 1, value: { attributes: ['b'] } });
    index.apply({ kind: 'identity', id: 'i', revision: 0, value: null });
    index.removeEntity('identity', 'i');
    index.putPolicy('edgeRouterPolicy', {
      id: 'p',
      semantic: 'AnyOf',
      roles: { identities: ['#all'], edgeRouters: [] },
    });
    index.removePolicy('edgeRouterPolicy', 'p');
    stop();
    index.removeEntity('identity', 'other');
    const identity = { kind: 'identity', id: 'i' };
    expect(seen).toEqual([
      { ...identity, before: undefined, ordinal: undefined },
      { ...identity, before: { id: 'i', attributes: ['a'] }, ordinal: 1 },
      { ...identity, before: { id: 'i', attributes: ['b'] }, ordinal: 1 },
      { kind: 'edgeRouterPolicy', id: 'p', before: undefined },
      { kind: 'edgeRouterPolicy', id: 'p', before: expect.objectContaining({ id: 'p' }) },
    ]);
  });

  test('names the users of every attribute, #all not being one', () => {
    const index = new PolicyIndex();
    index.putEntity('edgeRouter', { id: 'r2', attributes: ['east', 'held'] });
    index.putEntity('edgeRouter', { id: 'r1', attributes: ['east'] });
    const roles = ['#east', '#named'];
    index.putPolicy('edgeRouterPolicy', {
      id: 'p1',
      semantic: 'AllOf',
      roles: { identities: ['#elsewhere'], edgeRouters: roles },
    });
    index.putPolicy('serviceEdgeRouterPolicy', {
      id: 'p2',
      semantic: 'AnyOf',
      roles: { services: [], edgeRouters: ['#all'] },
    });
    const none = { count: 0, ids: [] };
    expect(index.attributeUsage('edgeRouter', true)).toEqual([
      {
        roleAttribute: 'east',
        usage: {
          edgeRouters: { count: 2, ids: ['r1', 'r2'] },
          edgeRouterPolicies: { count: 1, ids: ['p1'] },
          serviceEdgeRouterPolicies: none,
        },
      },
      {
        roleAttribute: 'held',
        usage: {
          edgeRouters: { count: 1, ids: ['r2'] },
          edgeRouterPolicies: none,
          serviceEdgeRouterPolicies: none,
        },
      },
      {
        roleAttribute: 'named',
        usage: {
          edgeRouters: none,
          edgeRouterPolicies: { count: 1, ids: ['p1'] },
          serviceEdgeRouterPolicies: none,
        },
      },
    ]);
    expect(index.attributeUsage('edgeRouter')[1]?.usage.edgeRouters).toEqual({
      count: 1,
      ids: null,
    });
    expect(Object.keys(index.attributeUsage('edgeRouter')[0]?.usage ?? {})).toHaveLength(3);
  });

  test('takes a deletion with the revision of what it deletes, once', () => {
    const index = new PolicyIndex();
    expect(index.apply(entity('i', 3, ['a']))).toBe(true);
    expect(index.apply(entity('i', 3, null))).toBe(true);
    expect(index.apply(entity('i', 3, ['a']))).toBe(false);
    expect(index.apply(entity('i', 2, ['a']))).toBe(false);
    expect(index.count('identity')).toBe(0);
    expect(index.apply(entity('i', 4, ['a']))).toBe(true);
    expect(index.attributesInUse('identity')).toEqual(['a']);
  });

  test('remembers a deletion until the second pruning after it', () => {
    const index = new PolicyIndex();
    index.apply(entity('i', 3, null));
    index.pruneTombstones();
    expect(index.apply(entity('i', 3, ['a']))).toBe(false);
    index.pruneTombstones();
    expect(index.apply(entity('i', 3, ['a']))).toBe(true);
  });

  test('has a version that only changes with what it holds', () => {
    const index = new PolicyIndex();
    index.apply(entity('i', 3, ['a']));
    const { version } = index;
    index.apply(entity('i', 2, ['b']));
    expect(index.version).toBe(version);
    index.removeEntity('identity', 'i');
    expect(index.version).toBeGreaterThan(version);
  });
});
