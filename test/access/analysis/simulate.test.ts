import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  accessDiff,
  ModelSnapshot,
  simulate,
  simulateAccess,
} from '../../../src/access/analysis/index.js';
import type {
  AccessModel,
  AccessPair,
  RowChange,
  Simulation,
} from '../../../src/access/analysis/index.js';
import type { Network } from '../../kernel/policy/network.js';
import {
  allPairs,
  applyTo,
  changesOf,
  indexOf,
  networkAfter,
  networkOf,
  pairsThrough,
} from './random-network.js';
import { runs } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

type Tuple = readonly string[];

const without = (pairs: readonly Tuple[], others: readonly Tuple[]): Tuple[] => {
  const known = new Set(others.map((pair) => pair.join('\0')));
  return pairs.filter((pair) => !known.has(pair.join('\0')));
};

const asTuple = ({ identityId, serviceId, type }: AccessPair): Tuple => [
  identityId,
  serviceId,
  type,
];

/** Identities and services that share a router. */
function sharing(network: Network): Tuple[] {
  const routersOf = (
    kind: 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy',
  ): Map<string, string[]> => {
    const found = new Map<string, string[]>();
    for (const [id, router] of pairsThrough(network, kind)) {
      found.set(id, [...(found.get(id) ?? []), router]);
    }
    return found;
  };
  const ofServices = routersOf('serviceEdgeRouterPolicy');
  return [...routersOf('edgeRouterPolicy')].flatMap(([identity, routers]) =>
    [...ofServices].flatMap(([service, others]): Tuple[] =>
      routers.some((router) => others.includes(router)) ? [[identity, service]] : [],
    ),
  );
}

/** Everything a simulation says about pairs, as plain data. */
const answerOf = (simulation: Simulation): unknown => ({
  gained: [...simulation.gained].map(asTuple),
  lost: [...simulation.lost].map(asTuple),
  identityRouters: [[...simulation.identityRouters.gained], [...simulation.identityRouters.lost]],
  serviceRouters: [[...simulation.serviceRouters.gained], [...simulation.serviceRouters.lost]],
  sharedRouters: [[...simulation.sharedRouters.gained], [...simulation.sharedRouters.lost]],
});

/** The same by going through all pairs of both networks. */
function expected(before: Network, after: Network): unknown {
  const pairs = { before: allPairs(before), after: allPairs(after) };
  const routers = (kind: 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy'): unknown => {
    const [had, has] = [pairsThrough(before, kind), pairsThrough(after, kind)];
    const name = kind === 'edgeRouterPolicy' ? 'identityId' : 'serviceId';
    const show = ([id, routerId]: Tuple): unknown => ({ [name]: id, routerId });
    return [without(has, had).map(show), without(had, has).map(show)];
  };
  const shared = { before: sharing(before), after: sharing(after) };
  const keys = (list: readonly Tuple[]): Set<string> => new Set(list.map((p) => p.join('\0')));
  const allowed = new Set(pairs.after.map(([identity, service]) => `${identity}\0${service}`));
  const among = (changed: readonly Tuple[]): unknown => {
    const wanted = keys(changed);
    return [...allowed]
      .filter((pair) => wanted.has(pair))
      .map((pair) => ({ identityId: pair.split('\0')[0], serviceId: pair.split('\0')[1] }));
  };
  return {
    gained: without(pairs.after, pairs.before),
    lost: without(pairs.before, pairs.after),
    identityRouters: routers('edgeRouterPolicy'),
    serviceRouters: routers('serviceEdgeRouterPolicy'),
    sharedRouters: [
      among(without(shared.after, shared.before)),
      among(without(shared.before, shared.after)),
    ],
  };
}

/** What the model answers to everything that analysis asks. */
function contentsOf(model: AccessModel): unknown {
  return [...toEnd(simulateAll(model))].map((pair) => pair);
}

function* simulateAll(model: AccessModel): Generator<undefined, Iterable<unknown>, undefined> {
  const nothing = indexOf([]);
  const simulation = yield* accessDiff(nothing, model);
  return [answerOf(simulation)];
}

describe('a simulation', () => {
  test('finds every pair gained and lost, and nothing else', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(8), (rows, changes) => {
        const simulation = toEnd(simulate(indexOf(rows), changes));
        const [before, after] = [networkAfter(rows), networkAfter(rows, changes)];
        expect(answerOf(simulation)).toEqual(expected(before, after));
        const counts = without(allPairs(after), allPairs(before)).length;
        expect(simulation.gained.totalCount).toBe(counts);
        expect(simulation.lost.totalCount).toBe(without(allPairs(before), allPairs(after)).length);
        for (const { gained, lost } of [
          simulation.identityRouters,
          simulation.serviceRouters,
          simulation.sharedRouters,
        ]) {
          expect(gained.totalCount).toBe([...gained].length);
          expect(lost.totalCount).toBe([...lost].length);
        }
      }),
      runs(25),
    );
  });

  test('of a sequence equals the difference after applying it, and leaves the index alone', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(40), (rows, changes) => {
        const index = indexOf(rows);
        const { version } = index;
        const simulated = answerOf(toEnd(simulate(index, changes)));
        expect(index.version).toBe(version);
        expect(contentsOf(index)).toEqual(contentsOf(indexOf(rows)));
        const applied = indexOf(rows);
        applyTo(applied, changes);
        expect(answerOf(toEnd(accessDiff(index, applied)))).toEqual(simulated);
        const rebuilt = indexOf(
          [...rows, ...changes].reverse().filter(isFirstOfItsRow()).reverse(),
        );
        expect(answerOf(toEnd(accessDiff(index, rebuilt)))).toEqual(simulated);
      }),
      runs(13),
    );
  });

  test('can be simulated upon', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(8), changesOf(8), (rows, changes, more) => {
        const first = toEnd(simulate(indexOf(rows), changes));
        const second = toEnd(simulate(first.after, more));
        expect(answerOf(second)).toEqual(
          expected(networkAfter(rows, changes), networkAfter(rows, changes, more)),
        );
      }),
      runs(13),
    );
  });

  test('proves that nothing is gained or lost, or shows the first pair that is', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(3), (rows, changes) => {
        const outcome = toEnd(simulateAccess(indexOf(rows), changes));
        const had = allPairs(networkAfter(rows));
        const has = allPairs(networkAfter(rows, changes));
        for (const [proof, [refutation]] of [
          [outcome.provesNoNewAccess, without(has, had)],
          [outcome.provesNoLostAccess, without(had, has)],
        ] as const) {
          expect(proof.holds).toBe(refutation === undefined);
          expect(proof.counterexample && asTuple(proof.counterexample)).toEqual(refutation ?? null);
        }
      }),
      runs(30),
    );
  });

  test('names the policies behind each pair before and after', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(5), (rows, changes) => {
        const outcome = toEnd(simulateAccess(indexOf(rows), changes));
        for (const pair of [...outcome.gained.page(20).pairs, ...outcome.lost.page(20).pairs]) {
          const { before, after } = outcome.reasons(pair);
          const ids = (network: Network): string[] =>
            network
              .policiesOf('servicePolicy', 'identities', pair.identityId)
              .filter((policy) => policy.type === pair.type)
              .filter((policy) =>
                network.members(policy, 'servicePolicy', 'services').includes(pair.serviceId),
              )
              .map(({ id }) => id)
              .sort();
          expect(before.map(({ policyId }) => policyId).sort()).toEqual(ids(networkAfter(rows)));
          expect(after.map(({ policyId }) => policyId).sort()).toEqual(
            ids(networkAfter(rows, changes)),
          );
        }
      }),
      runs(15),
    );
  });

  test('refuses to update what is not there', () => {
    const work = simulate(indexOf([]), [{ kind: 'identity', id: 'gone', update: {} }]);
    expect(() => toEnd(work)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
  });

  test('takes updates of single attributes after what came before them', () => {
    const index = indexOf([
      { kind: 'identity', id: 'i', value: { attributes: ['staff'] } },
      { kind: 'service', id: 's', value: { attributes: [] } },
      {
        kind: 'servicePolicy',
        id: 'p',
        value: {
          type: 'Dial',
          semantic: 'AnyOf',
          roles: { identities: ['#staff'], services: [], postureChecks: [] },
        },
      },
    ]);
    const outcome = toEnd(
      simulateAccess(index, [
        { kind: 'servicePolicy', id: 'p', update: { roles: { services: ['@s'] } } },
        { kind: 'servicePolicy', id: 'p', update: { type: 'Bind' } },
      ]),
    );
    expect([...outcome.gained]).toEqual([{ identityId: 'i', serviceId: 's', type: 'Bind' }]);
    expect(outcome.lost.totalCount).toBe(0);
  });
});

/** In a reversed history: whether nothing later was said of the row. */
function isFirstOfItsRow(): (row: RowChange) => boolean {
  const seen = new Set<string>();
  return ({ kind, id }) => {
    const isFirst = !seen.has(`${kind} ${id}`);
    seen.add(`${kind} ${id}`);
    return isFirst;
  };
}

describe('a snapshot', () => {
  test('stays what it was while the index changes', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(60), changesOf(6), (rows, writes, changes) => {
        const index = indexOf(rows);
        const snapshot = new ModelSnapshot(index);
        const before = contentsOf(snapshot);
        expect(before).toEqual(contentsOf(index));
        const simulated = answerOf(toEnd(simulate(snapshot, changes)));
        for (const write of writes) {
          applyTo(index, [write]);
          if (writes.indexOf(write) % 8 === 0) expect(contentsOf(snapshot)).toEqual(before);
        }
        expect(contentsOf(snapshot)).toEqual(before);
        expect(answerOf(toEnd(simulate(snapshot, changes)))).toEqual(simulated);
        snapshot.release();
        applyTo(index, rows);
      }),
      runs(15),
    );
  });

  test('holds work together that writes run in between of', () => {
    fc.assert(
      fc.property(networkOf(), changesOf(8), changesOf(60), (rows, changes, writes) => {
        const index = indexOf(rows);
        const snapshot = new ModelSnapshot(index);
        const work = simulate(snapshot, changes);
        let outcome: Simulation | undefined;
        for (let i = 0; outcome === undefined; i += 1) {
          const step = work.next();
          if (step.done === true) outcome = step.value;
          applyTo(index, writes.slice(i, i + 1));
        }
        expect(answerOf(outcome)).toEqual(
          expected(networkAfter(rows), networkAfter(rows, changes)),
        );
        snapshot.release();
      }),
      runs(13),
    );
  });
});
