import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  accessMap,
  explainAccess,
  MIN_NODES,
  MapPosture,
  MAX_NODES,
  PolicyChecks,
  statesAfter,
  type AccessFacts,
  type AccessMap,
  type JudgedSessions,
  type MapState,
  type PostureCounts,
} from '../../../src/access/analysis/index.js';
import type { AnyPolicyValue } from '../../../src/kernel/policy/index.js';
import { isMember, type Network } from '../../kernel/policy/network.js';
import { expanded } from './expanded-map.js';
import { mapOf, one, ordinals, policyOf } from './map-support.js';
import { changesOf, IDS, indexOf, networkAfter, networkOf } from './random-network.js';
import { costlyRuns } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

/** The verdicts of posture checks on the identities of a map. */

/** A session, with the checks that it passes in each state of the map. */
interface Session extends Readonly<Record<MapState, readonly string[]>> {
  readonly identityId: string;
}

const CHECKS = IDS.slice(0, 5);
const checkIds = fc.subarray(CHECKS);
const sessionsOf = fc.array(
  fc.record({ identityId: fc.constantFrom(...IDS), before: checkIds, after: checkIds }),
  { maxLength: 50, size: 'max' },
);

const postureOf = (map: AccessMap, sessions: readonly Session[]): MapPosture => {
  const checks = toEnd(PolicyChecks.of(map));
  const shown = sessions.filter(({ identityId }) => checks.selects(identityId));
  return toEnd(MapPosture.of(checks, judgedSessions(shown)));
};

const judgedSessions = (sessions: readonly Session[]): JudgedSessions => ({
  identityIds: sessions.map(({ identityId }) => identityId),
  verdictsOf: (checkId, state) => (position) =>
    sessions[position]?.[state].includes(checkId) ?? false,
});

/** By definition: whether an identity fails a policy that selects it; undefined without a verdict. */
function failsBy(
  network: Network,
  sessions: readonly Session[],
  state: MapState,
  policy: AnyPolicyValue,
  identityId: string,
): boolean | undefined {
  const identity = network.entities.identity.get(identityId);
  const checks = network.members(policy, 'servicePolicy', 'postureChecks');
  const own = sessions.filter((session) => session.identityId === identityId);
  if (!identity || checks.length === 0 || own.length === 0) return undefined;
  if (!isMember(policy, 'identities', identity)) return undefined;
  return own.every((session) => checks.some((id) => !session[state].includes(id)));
}

const countsOf = (verdicts: readonly (boolean | undefined)[]): PostureCounts => ({
  judged: verdicts.filter((verdict) => verdict !== undefined).length,
  failing: verdicts.filter(Boolean).length,
});

/** Whether one of the verdicts is a failure; undefined without a verdict. */
const oneFails = (verdicts: readonly (boolean | undefined)[]): boolean | undefined => {
  const known = verdicts.filter((verdict) => verdict !== undefined);
  return known.length === 0 ? undefined : known.includes(true);
};

interface Expectation {
  readonly network: (state: MapState) => Network;
  readonly sessions: readonly Session[];
}

/** Holds each node and each identity against the definition, in the later state in which they exist. */
async function expectVerdicts(map: AccessMap, { network, sessions }: Expectation): Promise<void> {
  const posture = postureOf(map, sessions);
  const of = (state: MapState, policy: AnyPolicyValue, identityId: string): boolean | undefined =>
    failsBy(network(state), sessions, state, policy, identityId);
  const ofIdentity = (id: string): boolean | undefined => {
    const state = network('after').entities.identity.has(id) ? 'after' : 'before';
    const policies = [...network(state).policies.servicePolicy.values()];
    return oneFails(policies.map((policy) => of(state, policy, id)));
  };
  const ofPolicies = (ids: readonly string[], type: unknown): (boolean | undefined)[] => {
    const policies = ids.flatMap((id) => {
      const states = (['after', 'before'] as const).map((state) => ({
        state,
        policy: network(state).policies.servicePolicy.get(id),
      }));
      // A policy that changes its type is in two nodes.
      return states.find(({ policy }) => policy?.type === type) ?? [];
    });
    return IDS.map((id) =>
      oneFails(policies.map(({ state, policy }) => policy && of(state, policy, id))),
    );
  };
  for (const node of (await expanded(map)).nodes) {
    const counts = toEnd(posture.countsOf(node));
    if (node.kind === 'identity') expect(counts).toEqual(countsOf(node.members.map(ofIdentity)));
    else if (node.kind === 'servicePolicy') {
      expect(counts).toEqual(countsOf(ofPolicies(node.members, node.type)));
    } else expect(counts).toBeUndefined();
  }
  for (const id of IDS) expect(posture.isFailing(id)).toBe(ofIdentity(id));
}

describe('the posture of a map', () => {
  test('is that of the definition, also in a merged map', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), sessionsOf, async (rows, drawn) => {
        const network = networkAfter(rows);
        // The map has one state.
        const sessions = drawn.map((session) => ({ ...session, before: session.after }));
        const states = one(indexOf(rows));
        for (const most of [MAX_NODES, MIN_NODES]) {
          await expectVerdicts(mapOf(states, most), { network: () => network, sessions });
        }
      }),
      costlyRuns(15),
    );
  });

  test('after changes is that of the later state in which each part exists', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), changesOf(20), sessionsOf, async (rows, changes, sessions) => {
        const networks = { before: networkAfter(rows), after: networkAfter(rows, changes) };
        const states = toEnd(statesAfter(indexOf(rows), changes));
        for (const most of [MAX_NODES, MIN_NODES]) {
          await expectVerdicts(mapOf(states, most), {
            network: (state) => networks[state],
            sessions,
          });
        }
      }),
      costlyRuns(15),
    );
  });

  test('agrees with the answer about each pair', () => {
    const sizes = {
      identity: 8,
      service: 6,
      edgeRouter: 1,
      postureCheck: 3,
      servicePolicy: 10,
      edgeRouterPolicy: 1,
      serviceEdgeRouterPolicy: 1,
    };
    fc.assert(
      fc.property(networkOf(sizes), sessionsOf, (rows, drawn) => {
        const index = indexOf(rows);
        const network = networkAfter(rows);
        const sessions = drawn.map((session) => ({ ...session, before: session.after }));
        for (const id of network.entities.identity.keys()) {
          const where = { identities: ordinals(index, 'identity', [id]) };
          const map = mapOf(one(index), MAX_NODES, { where });
          const posture = postureOf(map, sessions);
          const failing = map.nodes
            .filter(({ kind }) => kind === 'servicePolicy')
            .filter((node) => toEnd(posture.countsOf(node))?.failing === 1)
            .flatMap(({ items }) => items.map((item) => map.scope.policies[item]?.id));
          for (const service of network.entities.service.keys()) {
            for (const type of ['Dial', 'Bind'] as const) {
              const answer = explainAccess(index, id, service, type, factsOf(sessions), MISSES);
              const paths = (answer?.paths ?? []).map(({ policyId }) => policyId);
              const isBlocked = paths.length > 0 && paths.every((path) => failing.includes(path));
              expect(answer?.obstacles.includes('POSTURE')).toBe(isBlocked);
            }
          }
        }
      }),
      costlyRuns(9),
    );
  });

  test('judges each check once in each session, and only those that someone is under', () => {
    const index = indexOf([]);
    for (const id of ['c', 'd', 'unused']) index.putEntity('postureCheck', { id, attributes: [] });
    for (let i = 0; i < 20; i += 1) {
      index.putEntity('identity', { id: `i${i}`, attributes: ['staff'] });
      index.putPolicy('servicePolicy', {
        ...policyOf(`p${i}`, ['#staff'], []),
        roles: { identities: ['#staff'], services: [], postureChecks: ['@c', '@d'] },
      });
    }
    index.putEntity('identity', { id: 'guest', attributes: [] });
    const judged: string[] = [];
    const map = mapOf(one(index));
    const checks = toEnd(PolicyChecks.of(map));
    const identityIds = ['i1', 'i2', 'guest'].filter((id) => checks.selects(id));
    const verdictsOf = (checkId: string) => (position: number) =>
      judged.push(`${identityIds[position] ?? ''} ${checkId}`) > 0;
    const posture = toEnd(MapPosture.of(checks, { identityIds, verdictsOf }));
    for (const node of map.nodes) toEnd(posture.countsOf(node));
    expect(judged.sort()).toEqual(['i1 c', 'i1 d', 'i2 c', 'i2 d']);
  });
});

const MISSES = { misses: 0, hasRouters: false };

function factsOf(sessions: readonly Session[]): AccessFacts {
  const names = sessions.map((session, i) => ({ ...session, name: String(i) }));
  return {
    isRouterOnline: () => true,
    isRouterDisabled: () => false,
    isIdentityDisabled: () => false,
    hasTerminators: () => true,
    apiSessionsOf: (id) =>
      names.filter(({ identityId }) => identityId === id).map(({ name }) => name),
    isPassing: (name, checkId) => sessions[Number(name)]?.after.includes(checkId) ?? false,
  };
}

test('the work never goes far without a pause', () => {
  const index = indexOf([]);
  for (let i = 0; i < 200; i += 1) {
    index.putEntity('postureCheck', { id: `c${i}`, attributes: [] });
    index.putPolicy('servicePolicy', {
      ...policyOf(`p${i}`, ['#staff'], []),
      roles: { identities: ['#staff'], services: [], postureChecks: [`@c${i}`] },
    });
  }
  const identityIds = Array.from({ length: 2_000 }, (_, i) => `i${i}`);
  for (const id of identityIds) index.putEntity('identity', { id, attributes: ['staff'] });
  const verdictsOf = () => (position: number) => position % 2 === 0;
  const map = toEnd(accessMap(one(index), {}, 200));
  let steps = 0;
  const count = <T>(work: Generator<undefined, T, undefined>): T => {
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      steps += 1;
    }
  };
  const posture = count(MapPosture.of(count(PolicyChecks.of(map)), { identityIds, verdictsOf }));
  expect(posture.isFailing('i1')).toBe(true);
  expect(steps).toBeGreaterThan(1_000);
});
