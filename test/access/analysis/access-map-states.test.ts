import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isClassKind, MAX_NODES, statesAfter } from '../../../src/access/analysis/index.js';
import type { MapQuery } from '../../../src/access/analysis/index.js';
import {
  claims,
  CLASSIFIED,
  expanded,
  groupedBy,
  inOrder,
  pairsOf,
  policiesText,
  type WantedPair,
} from './expanded-map.js';
import {
  changeOf,
  expectTruthfulMerging,
  expectSideCounts,
  expectEdges,
} from './map-expectations.js';
import { one, mapOf, plain, fewNodes, policyOf, ordinals } from './map-support.js';
import { changesOf, IDS, indexOf, networkAfter, networkOf } from './random-network.js';
import { costlyRuns } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

describe('a map of identities and services that match', () => {
  const some = fc.option(fc.subarray(IDS), { nil: undefined });
  const asked = fc.record({
    type: fc.constantFrom('Dial' as const, 'Bind' as const, undefined),
    identities: some,
    services: some,
  });

  test('is the part of the access between them', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), asked, async (rows, { type, identities, services }) => {
        const network = networkAfter(rows);
        const index = indexOf(rows);
        const query: MapQuery = {
          ...(type && { type }),
          where: {
            ...(identities && { identities: ordinals(index, 'identity', identities) }),
            ...(services && { services: ordinals(index, 'service', services) }),
          },
        };
        const map = await expanded(mapOf(one(index), MAX_NODES, query));
        const isOf = (side: string[] | undefined, id: string): boolean =>
          side?.includes(id) !== false;
        const isWanted = ({ kind, left, right, ...pair }: WantedPair): boolean => {
          if (kind === 'servicePolicy') {
            return isOf(identities, left) && isOf(services, right) && (!type || pair.type === type);
          }
          return isOf(kind === 'edgeRouterPolicy' ? identities : services, left);
        };
        expect(claims(map, 'after')).toEqual(pairsOf(network, isWanted));
        const members = (kind: string): string[] =>
          map.nodes
            .filter((node) => node.kind === kind)
            .flatMap((node) => node.members)
            .sort();
        const wanted = (kind: 'identity' | 'service', ids: string[] | undefined): string[] =>
          [...network.entities[kind].keys()].filter((id) => isOf(ids, id)).sort();
        expect(members('identity')).toEqual(wanted('identity', identities));
        expect(members('service')).toEqual(wanted('service', services));
        expect(members('servicePolicy')).toEqual(
          [...network.policies.servicePolicy.values()]
            .filter((policy) => !type || policy.type === type)
            .filter((policy) => {
              const onSide = (side: 'identities' | 'services'): string[] =>
                network.members(policy, 'servicePolicy', side);
              return (
                (!identities || onSide('identities').some((id) => identities.includes(id))) &&
                (!services || onSide('services').some((id) => services.includes(id)))
              );
            })
            .map(({ id }) => id)
            .sort(),
        );
      }),
      costlyRuns(16),
    );
  });
});

describe('a map of two states', () => {
  test('has the classes of the policies in both, and claims the access of each', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), changesOf(25), async (rows, changes) => {
        const before = networkAfter(rows);
        const after = networkAfter(rows, changes);
        const map = await expanded(mapOf(toEnd(statesAfter(indexOf(rows), changes))));
        expect(claims(map, 'before')).toEqual(pairsOf(before));
        expect(claims(map, 'after')).toEqual(pairsOf(after));
        for (const kind of CLASSIFIED) {
          const classes = map.nodes.filter((node) => node.kind === kind);
          const ids = new Set([...before.entities[kind].keys(), ...after.entities[kind].keys()]);
          const textOf = (id: string): string =>
            JSON.stringify([before, after].map((state) => policiesText(state, kind, id) ?? null));
          expect(inOrder(classes.map(({ members }) => members))).toEqual(groupedBy(ids, textOf));
          for (const { members, change } of classes) {
            const [id = ''] = members;
            expect(change).toBe(
              changeOf(before.entities[kind].has(id), after.entities[kind].has(id)),
            );
          }
        }
      }),
      costlyRuns(16),
    );
  });

  test('has the keys of the single maps where nothing changes, and others elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), changesOf(5), async (rows, changes) => {
        const index = indexOf(rows);
        const networks = [networkAfter(rows), networkAfter(rows, changes)];
        const states = toEnd(statesAfter(index, changes));
        const before = await expanded(mapOf(one(states.before)));
        const after = await expanded(mapOf(one(states.after)));
        const single = new Set([...before.nodes, ...after.nodes].map(({ key }) => key));
        for (const { kind, key, members } of (await expanded(mapOf(states))).nodes) {
          if (!isClassKind(kind)) continue;
          const [id = ''] = members;
          const [earlier, later] = networks.map((network) => policiesText(network, kind, id));
          if (earlier !== later) expect(single).not.toContain(key);
          else
            for (const { nodes } of [before, after]) {
              const node = nodes.find((each) => each.kind === kind && each.members.includes(id));
              expect(node?.key).toBe(key);
            }
        }
        const nothing = mapOf(toEnd(statesAfter(index, [])));
        expect(plain(nothing)).toEqual(plain(mapOf(one(index))));
      }),
      costlyRuns(6),
    );
  });

  test('is merged without a wrong claim about either', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), changesOf(25), fewNodes, async (rows, changes, most) => {
        const networks = [networkAfter(rows), networkAfter(rows, changes)] as const;
        const map = await expanded(mapOf(toEnd(statesAfter(indexOf(rows), changes)), most));
        expect(map.nodes.length).toBeLessThanOrEqual(most);
        expectTruthfulMerging(map, networks);
        expectSideCounts(map, networks);
        expectEdges(map, networks);
        for (const [i, state] of (['before', 'after'] as const).entries()) {
          const pairs = pairsOf(networks[i] ?? networks[0]);
          for (const pair of claims(map, state)) expect(pairs).toContain(pair);
        }
      }),
      costlyRuns(20),
    );
  });

  test('shows a policy that changes its type as one that goes and one that comes', async () => {
    const index = indexOf([]);
    index.putEntity('identity', { id: 'a', attributes: ['staff'] });
    index.putEntity('service', { id: 's', attributes: ['docs'] });
    index.putPolicy('servicePolicy', policyOf('p', ['#staff'], ['#docs']));
    const changes = [{ kind: 'servicePolicy', id: 'p', update: { type: 'Bind' } } as const];
    const { nodes, edges } = await expanded(mapOf(toEnd(statesAfter(index, changes))));
    expect(
      nodes
        .filter(({ kind }) => kind === 'servicePolicy')
        .map(({ type, change }) => [type, change])
        .sort(),
    ).toEqual([
      ['Bind', 'GAINED'],
      ['Dial', 'LOST'],
    ]);
    expect(edges.map(({ type, side, change }) => [type, side, change]).sort()).toEqual([
      ['Bind', 'identities', 'GAINED'],
      ['Bind', 'services', 'GAINED'],
      ['Dial', 'identities', 'LOST'],
      ['Dial', 'services', 'LOST'],
    ]);
  });
});
