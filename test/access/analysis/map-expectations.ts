import { expect } from '@jest/globals';
import { isClassKind } from '../../../src/access/analysis/index.js';
import type { Network } from '../../kernel/policy/network.js';
import { CLASSIFIED, type ExpandedMap } from './expanded-map.js';

/** Compares a map of access with its networks, by the definition of membership. */

export const changeOf = (isBefore: boolean, isAfter: boolean): string => {
  if (isBefore && isAfter) return 'KEPT';
  return isAfter ? 'GAINED' : 'LOST';
};

const SIDES = ['identities', 'services', 'edgeRouters'] as const;
const POLICIES = ['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const;

export function expectPolicies(nodes: ExpandedMap['nodes'], network: Network): void {
  for (const kind of POLICIES) {
    const policies = nodes.filter((node) => node.kind === kind);
    const ids = policies.flatMap(({ members }) => members);
    expect(ids.sort()).toEqual([...network.policies[kind].keys()].sort());
    for (const { members, type, sideCounts } of policies) {
      const policy = network.policies[kind].get(members[0] ?? '');
      expect(type).toBe(policy?.type);
      for (const [side, count] of sideCounts ?? []) {
        expect(count).toBe(network.members(policy, kind, side).length);
      }
    }
  }
}

export function expectAllMembers({ nodes }: ExpandedMap, network: Network): void {
  const all = { ...network.entities, ...network.policies };
  for (const kind of [...CLASSIFIED, ...POLICIES]) {
    const ofKind = nodes.filter((node) => node.kind === kind);
    const ids = ofKind.flatMap(({ members }) => members);
    expect(ids.sort()).toEqual([...all[kind].keys()].sort());
    expect(ofKind.reduce((sum, { count }) => sum + count, 0)).toBe(all[kind].size);
  }
}

/** A merged node has one kind, one type and one change, and the attribute that it says. */
export function expectTruthfulMerging({ nodes }: ExpandedMap, networks: readonly Network[]): void {
  for (const { kind, members, roleAttribute } of nodes) {
    if (roleAttribute === undefined) continue;
    for (const id of members) {
      const last = networks.toReversed();
      const names = isClassKind(kind)
        ? last.map((network) => network.entities[kind].get(id)?.attributes).find(Boolean)
        : last.flatMap((network) =>
            Object.values(network.policies[kind].get(id)?.roles ?? {})
              .flat()
              .map((role) => role.slice(1)),
          );
      expect(names).toContain(roleAttribute);
    }
  }
}

/** The entities that policies select in the last state in which they exist. */
export function expectSideCounts({ nodes }: ExpandedMap, networks: readonly Network[]): void {
  for (const { kind, change, members, sideCounts } of nodes) {
    if (isClassKind(kind)) continue;
    const network = change === 'LOST' ? networks[0] : networks.at(-1);
    for (const [side, count] of sideCounts ?? []) {
      const selected = members.flatMap(
        (id) => network?.members(network.policies[kind].get(id), kind, side) ?? [],
      );
      expect(count).toBe(new Set(selected).size);
    }
  }
}

/** Counts and completeness of edges, from the definition of membership. */
export function expectEdges({ nodes, edges }: ExpandedMap, networks: readonly Network[]): void {
  const edgeFacts = new Map(
    edges.map(({ classKey, policyKey, side, change, count, isComplete }) => [
      [classKey, policyKey, side, change].join(' '),
      [count, isComplete],
    ]),
  );
  expect(edgeFacts.size).toBe(edges.length);
  let expected = 0;
  for (const policies of nodes) {
    const { kind, type } = policies;
    if (isClassKind(kind)) continue;
    const selected = SIDES.map((side) =>
      policies.members.map((id) =>
        networks.map((network) => {
          const policy = network.policies[kind].get(id);
          return new Set(policy?.type === type ? network.members(policy, kind, side) : []);
        }),
      ),
    );
    for (const classes of nodes.filter((node) => isClassKind(node.kind))) {
      const place = ['identity', 'service', 'edgeRouter'].indexOf(classes.kind);
      for (const change of ['KEPT', 'GAINED', 'LOST']) {
        const counts = classes.members.map(
          (id) =>
            (selected[place] ?? []).filter((states) => {
              const [before = false, after = before] = states.map((ids) => ids.has(id));
              return (before || after) && changeOf(before, after) === change;
            }).length,
        );
        const count = counts.filter((hits) => hits > 0).length;
        if (count === 0) continue;
        expected += 1;
        const isComplete = counts.every((hits) => hits === policies.members.length);
        const key = [classes.key, policies.key, SIDES[place], change].join(' ');
        expect([key, edgeFacts.get(key)]).toEqual([key, [count, isComplete]]);
      }
    }
  }
  expect(expected).toBe(edges.length);
}
