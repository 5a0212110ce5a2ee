import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { explainAccess, simulateAccess } from '../../../src/access/analysis/index.js';
import type {
  AccessExplanation,
  AccessFacts,
  MatchedRole,
  MissingSide,
  Remedy,
  RowChange,
} from '../../../src/access/analysis/index.js';
import type { ServicePolicyType } from '../../../src/kernel/policy/index.js';
import {
  IDS,
  indexOf,
  isMember,
  networkAfter,
  networkOf,
  sortedByBytes,
} from './random-network.js';
import { rowsOf } from './table-network.js';
import type { TableNetwork } from './table-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

type Ask = [identity: string, service: string, type: ServicePolicyType];

interface Table {
  network: TableNetwork;
  facts: { online: string[]; disabledIdentities: string[]; terminators: string[] };
  cases: {
    it: string;
    ask: Ask;
    /** Per API session the checks that pass. */
    sessions?: Record<string, string[]>;
    allowed: boolean;
    paths?: unknown[];
    common?: unknown[];
    obstacles: string[];
  }[];
  misses: { it: string; ask: Ask; totalCount: number; misses: unknown[] }[];
}

const table = JSON.parse(
  readFileSync(new URL('explanations.json', import.meta.url), 'utf8'),
) as Table;

function factsOf(sessions: Record<string, string[]> = {}): AccessFacts {
  const { online, disabledIdentities, terminators } = table.facts;
  return {
    isRouterOnline: (id) => online.includes(id),
    isRouterDisabled: () => false,
    isIdentityDisabled: (id) => disabledIdentities.includes(id),
    hasTerminators: (id) => terminators.includes(id),
    apiSessionsOf: () => Object.keys(sessions),
    isPassing: (session, check) => sessions[session]?.includes(check) ?? false,
  };
}

const NO_FACTS = factsOf();

function explained(
  ask: Ask,
  facts: AccessFacts = NO_FACTS,
  rows = rowsOf(table.network),
): AccessExplanation {
  const explanation = explainAccess(indexOf(rows), ...ask, facts);
  if (!explanation) throw new Error('nothing to explain');
  return explanation;
}

const rolesText = (roles: readonly MatchedRole[]): string[] =>
  roles.map(({ kind, role }) => `${kind} ${role}`);

const remedyText = (remedy: Remedy): string =>
  remedy.kind === 'ADD_ROLE' ? `role ${remedy.role}` : `attributes ${remedy.attributes.join('+')}`;

const sideText = (side: MissingSide | null): unknown =>
  side && [side.missingAttributes, ...side.remedies.map(remedyText)];

describe('an explanation of access', () => {
  test.each(table.cases)('$it', ({ ask, sessions, allowed, paths, common, obstacles }) => {
    const explanation = explained(ask, factsOf(sessions));
    expect(explanation.allowed).toBe(allowed);
    expect(explanation.obstacles).toEqual(obstacles);
    if (paths) {
      const found = explanation.paths.map((path) => [
        path.policyId,
        rolesText(path.identityRoles),
        rolesText(path.serviceRoles),
        path.postureCheckIds,
      ]);
      expect(found).toEqual(paths);
    }
    if (common) {
      const found = explanation.routers.common.map((router) => [
        router.routerId,
        router.edgeRouterPolicyIds,
        router.serviceEdgeRouterPolicyIds,
      ]);
      expect(found).toEqual(common);
    }
  });

  test('does not count a common router that is disabled', () => {
    const facts = { ...factsOf(), isRouterDisabled: (id: string) => id === 'r-east' };
    expect(explained(['ann', 'wiki', 'Dial'], facts).obstacles).toEqual(['NONE_ONLINE']);
  });

  test('is not given of what does not exist', () => {
    const index = indexOf(rowsOf(table.network));
    expect(explainAccess(index, 'gone', 'wiki', 'Dial', NO_FACTS)).toBeUndefined();
    expect(explainAccess(index, 'ann', 'gone', 'Dial', NO_FACTS)).toBeUndefined();
  });

  const ask = fc.tuple(
    fc.constantFrom(...IDS),
    fc.constantFrom(...IDS.slice(0, 40)),
    fc.constantFrom('Dial' as const, 'Bind' as const),
  );

  test('holds what the definition says of paths and routers', () => {
    fc.assert(
      fc.property(networkOf(), ask, (rows, [identity, service, type]) => {
        const network = networkAfter(rows);
        const explanation = explainAccess(indexOf(rows), identity, service, type, NO_FACTS);
        const i = network.entities.identity.get(identity);
        const s = network.entities.service.get(service);
        expect(explanation === undefined).toBe(!i || !s);
        if (!explanation || !i || !s) return;
        const granting = [...network.policies.servicePolicy.values()].filter(
          (p) => p.type === type && isMember(p, 'identities', i) && isMember(p, 'services', s),
        );
        expect(explanation.allowed).toBe(granting.length > 0);
        expect(explanation.paths.map(({ policyId }) => policyId)).toEqual(
          sortedByBytes(granting.map(({ id }) => id)),
        );
        for (const path of explanation.paths) {
          const policy = network.policies.servicePolicy.get(path.policyId);
          expect([...path.postureCheckIds].sort()).toEqual(
            network.members(policy, 'servicePolicy', 'postureChecks'),
          );
        }
        const mine = network.reach('edgeRouterPolicy', 'identities', identity, 'edgeRouters');
        const its = network.reach('serviceEdgeRouterPolicy', 'services', service, 'edgeRouters');
        const { identitySide, serviceSide, common } = explanation.routers;
        const ids = (routers: readonly { routerId: string }[]): string[] =>
          routers.map(({ routerId }) => routerId);
        expect(ids(identitySide)).toEqual(sortedByBytes(mine));
        expect(ids(serviceSide)).toEqual(sortedByBytes(its));
        expect(ids(common)).toEqual(sortedByBytes(mine.filter((id) => its.includes(id))));
      }),
      runs(150),
    );
  });

  test('lists among the roles exactly those that match by themselves', () => {
    fc.assert(
      fc.property(networkOf(), ask, (rows, [identity, service, type]) => {
        const network = networkAfter(rows);
        const explanation = explainAccess(indexOf(rows), identity, service, type, NO_FACTS);
        for (const { policyId, semantic, identityRoles } of explanation?.paths ?? []) {
          const entity = network.entities.identity.get(identity);
          const policy = network.policies.servicePolicy.get(policyId);
          if (!entity || !policy) throw new Error('a path through nothing');
          const roles = policy.roles.identities ?? [];
          const named = roles.filter((role) => role.startsWith('#') && role !== '#all');
          const alone = (list: string[]): boolean =>
            isMember({ ...policy, roles: { identities: list } }, 'identities', entity);
          const isListed = (role: string): boolean =>
            semantic === 'AllOf' && named.includes(role) ? alone(named) : alone([role]);
          expect(identityRoles.map(({ role }) => role).sort()).toEqual(
            roles.filter(isListed).sort(),
          );
        }
      }),
      runs(60),
    );
  });
});

describe('the nearest misses', () => {
  test.each(table.misses)('$it', ({ ask, totalCount, misses }) => {
    const found = explained(ask).nearestMisses;
    expect(found.totalCount).toBe(totalCount);
    expect(
      found.nodes.map(({ policyId, changes, identitySide, serviceSide }) => ({
        policyId,
        changes,
        identity: sideText(identitySide),
        service: sideText(serviceSide),
      })),
    ).toEqual(misses);
  });

  const ask = fc.tuple(
    fc.constantFrom(...IDS.slice(0, 20)),
    fc.constantFrom(...IDS.slice(0, 20)),
    fc.constantFrom('Dial' as const, 'Bind' as const),
  );

  test('are all policies of the type that do not grant it; each remedy does, nothing less does', () => {
    fc.assert(
      fc.property(networkOf(), ask, (rows, [identityId, serviceId, type]) => {
        const index = indexOf(rows);
        const network = networkAfter(rows);
        const explanation = explainAccess(index, identityId, serviceId, type, NO_FACTS, {
          misses: 100,
        });
        if (!explanation) return;
        const { nodes: misses, totalCount } = explanation.nearestMisses;
        const granting = new Set(explanation.paths.map(({ policyId }) => policyId));
        const expected = [...network.policies.servicePolicy.values()]
          .filter((policy) => policy.type === type && !granting.has(policy.id))
          .map(({ id }) => id);
        expect(misses.map(({ policyId }) => policyId).sort()).toEqual(expected.sort());
        expect(totalCount).toBe(misses.length);
        expect(misses.map(({ changes }) => changes)).toEqual(
          misses.map(({ changes }) => changes).sort(),
        );
        const identity = index.entity('identity', identityId);
        const approval: RowChange[] = identity?.onceApproved
          ? [{ kind: 'identity', id: identityId, value: identity.onceApproved }]
          : [];
        // A policy that selects a pending identity only after its approval needs this as well.
        const grants = (policyId: string, remedies: readonly Remedy[]): boolean =>
          [[], approval].some((first) =>
            toEnd(simulateAccess(index, [...first, ...remedies.map(({ change }) => change)]))
              .reasons({ identityId, serviceId, type })
              .after.some((path) => path.policyId === policyId),
          );
        for (const miss of misses) {
          const sides = [miss.identitySide, miss.serviceSide].filter((side) => side !== null);
          const smallest = sides.flatMap((side) => side.remedies.slice(0, 1));
          expect(smallest.reduce((sum, { size }) => sum + size, 0)).toBe(miss.changes);
          expect(grants(miss.policyId, smallest)).toBe(true);
          if (smallest.length === 0) {
            expect(approval).toHaveLength(1);
            continue;
          }
          expect(grants(miss.policyId, smallest.slice(1))).toBe(false);
          expect(grants(miss.policyId, smallest.slice(0, -1))).toBe(false);
          for (const side of sides) {
            const rest = sides.filter((s) => s !== side).flatMap((s) => s.remedies.slice(0, 1));
            for (const remedy of side.remedies) {
              expect(grants(miss.policyId, [remedy, ...rest])).toBe(true);
            }
          }
        }
      }),
      runs(25),
    );
  });

  test('are the same, however few are listed', () => {
    fc.assert(
      fc.property(networkOf(), ask, fc.nat(20), (rows, given, count) => {
        const index = indexOf(rows);
        const all = explainAccess(index, ...given, NO_FACTS, { misses: 100 });
        const few = explainAccess(index, ...given, NO_FACTS, { misses: count });
        expect(few?.nearestMisses.totalCount).toBe(all?.nearestMisses.totalCount);
        expect(few?.nearestMisses.nodes).toEqual(all?.nearestMisses.nodes.slice(0, count));
      }),
      runs(60),
    );
  });
});
