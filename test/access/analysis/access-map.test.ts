import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  accessMap,
  MIN_NODES,
  MapMembers,
  ModelOverlay,
  ModelSnapshot,
  MAX_EDGES,
  statesAfter,
} from '../../../src/access/analysis/index.js';
import {
  claims,
  CLASSIFIED,
  expanded,
  groupedBy,
  inOrder,
  pairsOf,
  policiesText,
} from './expanded-map.js';
import {
  expectPolicies,
  expectAllMembers,
  expectTruthfulMerging,
  expectSideCounts,
  expectEdges,
} from './map-expectations.js';
import {
  one,
  mapOf,
  plain,
  fewNodes,
  byBytes,
  policyOf,
  lastRows,
  sumOf,
  networkMemberships,
} from './map-support.js';
import { applyTo, changesOf, indexOf, networkAfter, networkOf } from './random-network.js';
import { costlyRuns } from '../../support/runs.js';
import { toEnd } from '../../../src/base/slices.js';

describe('the map of a network', () => {
  test('has the classes of entities in exactly the same policies, and each policy', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), async (rows) => {
        const network = networkAfter(rows);
        const { nodes } = await expanded(mapOf(one(indexOf(rows))));
        for (const kind of CLASSIFIED) {
          const classes = nodes.filter((node) => node.kind === kind);
          expect(inOrder(classes.map(({ members }) => members))).toEqual(
            groupedBy(network.entities[kind].keys(), (id) => policiesText(network, kind, id) ?? ''),
          );
        }
        expectPolicies(nodes, network);
        for (const { count, members, items } of nodes) {
          expect([count, items.length]).toEqual([members.length, 1]);
        }
      }),
      costlyRuns(20),
    );
  });

  test('joins them by complete edges, which are exactly the pairs that policies join', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), async (rows) => {
        const map = await expanded(mapOf(one(indexOf(rows))));
        expect(map.edges.every(({ isComplete }) => isComplete)).toBe(true);
        expect(map.edges.every(({ count, classNode }) => count === classNode.count)).toBe(true);
        expect(claims(map, 'after')).toEqual(pairsOf(networkAfter(rows)));
      }),
      costlyRuns(20),
    );
  });

  test('is the same whatever the order of rows, and whichever model holds them', () => {
    fc.assert(
      fc.property(
        networkOf(),
        changesOf(20),
        fewNodes,
        fc.infiniteStream(fc.nat()),
        (rows, changes, most, random) => {
          const index = indexOf([...rows, ...changes]);
          const expected = plain(mapOf(one(index), most));
          const shuffled = [...lastRows([...rows, ...changes]).values()]
            .map((row) => ({ row, place: random.next().value as number }))
            .sort((a, b) => a.place - b.place)
            .map(({ row }) => row);
          expect(plain(mapOf(one(indexOf(shuffled)), most))).toEqual(expected);
          const overlay = new ModelOverlay(indexOf(rows));
          for (const change of changes) overlay.apply(change);
          expect(plain(mapOf(one(overlay), most))).toEqual(expected);
          const snapshot = new ModelSnapshot(index);
          applyTo(index, rows);
          expect(plain(mapOf(one(snapshot), most))).toEqual(expected);
          snapshot.release();
        },
      ),
      costlyRuns(15),
    );
  });

  test('keeps the keys of classes while other entities come and go', () => {
    const index = indexOf([]);
    for (const id of ['a', 'b', 'c']) index.putEntity('identity', { id, attributes: ['staff'] });
    index.putEntity('identity', { id: 'd', attributes: [] });
    index.putPolicy('servicePolicy', policyOf('p', ['#staff'], ['#docs']));
    const keysOf = (): Record<string, string> =>
      Object.fromEntries(
        mapOf(one(index)).nodes.map(({ key, kind, count }) => [`${kind} ${count}`, key]),
      );
    const before = keysOf();
    index.removeEntity('identity', 'a');
    index.putEntity('identity', { id: 'e', attributes: ['staff', 'other'] });
    index.putEntity('service', { id: 's', attributes: [] });
    expect(keysOf()).toMatchObject(before);
    index.putPolicy('servicePolicy', policyOf('q', ['#staff'], []));
    const after = keysOf();
    expect(after['identity 1']).toBe(before['identity 1']);
    expect(after['identity 3']).not.toBe(before['identity 3']);
    index.removePolicy('servicePolicy', 'q');
    expect(keysOf()).toMatchObject(before);
  });

  test('shows policies that match nothing', async () => {
    const index = indexOf([]);
    index.putEntity('identity', { id: 'a', attributes: ['staff'] });
    index.putPolicy('servicePolicy', policyOf('nothing', [], []));
    index.putPolicy('servicePolicy', policyOf('half', ['#staff'], ['@gone', '#none']));
    const { nodes, edges } = await expanded(mapOf(one(index)));
    const sidesOf = (id: string): unknown =>
      Object.fromEntries(nodes.find(({ members }) => members.includes(id))?.sideCounts ?? []);
    expect(sidesOf('nothing')).toEqual({ identities: 0, services: 0 });
    expect(sidesOf('half')).toEqual({ identities: 1, services: 0 });
    expect(edges.map(({ policyNode, side }) => [policyNode.members, side])).toEqual([
      [['half'], 'identities'],
    ]);
  });
});

describe('a merged map', () => {
  test('has at most the nodes asked for, loses none of their members, and claims nothing wrong', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), fewNodes, async (rows, most) => {
        const network = networkAfter(rows);
        const merged = mapOf(one(indexOf(rows)), most);
        const map = await expanded(merged);
        expect(map.nodes.length).toBeLessThanOrEqual(most);
        expectAllMembers(map, network);
        expectTruthfulMerging(map, [network]);
        expectSideCounts(map, [network]);
        expectEdges(map, [network]);
        const pairs = pairsOf(network);
        for (const pair of claims(map, 'after')) expect(pairs).toContain(pair);
      }),
      costlyRuns(30),
    );
  });

  test('is the full map when that is small enough', () => {
    fc.assert(
      fc.property(networkOf(), (rows) => {
        const index = indexOf(rows);
        const full = mapOf(one(index));
        const most = Math.max(MIN_NODES, full.nodes.length);
        expect(plain(mapOf(one(index), most))).toEqual(plain(full));
        expect(mapOf(one(index), most).isMerged).toBe(false);
      }),
      costlyRuns(8),
    );
  });

  test('finds the classes and policies that it merges, by the keys of the full map', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), changesOf(10), async (rows, changes) => {
        const states = toEnd(statesAfter(indexOf(rows), changes));
        const full = mapOf(states);
        const small = mapOf(states, MIN_NODES);
        const { nodes } = await expanded(full);
        const members = new MapMembers(small, (work) => Promise.resolve(toEnd(work)));
        for (const { key, items, ...node } of nodes) {
          const foundNode = toEnd(small.find(key));
          expect(foundNode).toMatchObject({ key, kind: node.kind, count: node.count });
          expect(foundNode?.sideCounts).toEqual(node.sideCounts);
          expect(
            foundNode &&
              (await members.page(foundNode, { count: 100, offset: 0, after: undefined })),
          ).toEqual(node.members);
          expect(items).toHaveLength(1);
        }
        expect(toEnd(small.find('no key'))).toBeUndefined();
      }),
      costlyRuns(8),
    );
  });

  test('merges small classes by the attributes that policies name', async () => {
    const index = indexOf([]);
    const teams = ['red', 'blue'];
    for (let i = 0; i < 60; i += 1) {
      const team = teams[i % 2] ?? '';
      index.putEntity('identity', {
        id: `i${i}`,
        attributes: [team, `unit${i}`, 'all', 'unnamed'],
      });
      index.putPolicy('servicePolicy', policyOf(`p${i}`, [`#unit${i}`], []));
    }
    for (const team of teams) index.putPolicy('servicePolicy', policyOf(team, [`#${team}`], []));
    const { nodes } = await expanded(mapOf(one(index), MIN_NODES));
    const merged = nodes.filter(({ kind, items }) => kind === 'identity' && items.length > 1);
    expect(merged.map(({ roleAttribute }) => roleAttribute).sort()).toEqual(['blue', 'red']);
  });

  test.each([50, 3_000])(
    'merges policies with the same sides first, of %i members',
    async (count) => {
      const index = indexOf([]);
      for (let i = 0; i < count; i += 1) {
        index.putEntity('identity', { id: `i${i}`, attributes: ['many', `unit${i}`] });
      }
      for (let i = 0; i < 30; i += 1) {
        index.putPolicy('servicePolicy', policyOf(`same${i}`, ['#many'], []));
        index.putPolicy('servicePolicy', policyOf(`other${i}`, [`#unit${i}`, '#unit1'], []));
      }
      const { nodes } = await expanded(mapOf(one(index), 60));
      const node = nodes.find(({ members }) => members.includes('same0'));
      expect(node?.members).toEqual(Array.from({ length: 30 }, (_, i) => `same${i}`).sort(byBytes));
    },
  );

  test('has no more edges than can be shown', () => {
    const index = indexOf([]);
    for (let i = 0; i < 200; i += 1) {
      const names = Array.from({ length: 200 }, (_, j) => `a${j}`);
      const attributes = names.filter((_, j) => ((i * 31 + 7) * (j * 17 + 3)) % 101 < 60);
      index.putEntity('identity', { id: `i${i}`, attributes });
      index.putPolicy('servicePolicy', policyOf(`p${i}`, [`#a${i}`], []));
    }
    const map = mapOf(one(index));
    expect(map.edges.length).toBeLessThanOrEqual(MAX_EDGES);
    expect(map.isMerged).toBe(true);
    const memberships = [...networkMemberships(index)].length;
    expect(memberships).toBeGreaterThan(MAX_EDGES);
    expect(sumOf(map, 'identity')).toBe(200);
    expect(sumOf(map, 'servicePolicy')).toBe(200);
  });
});

describe('the members of a node', () => {
  test('come in pages that make up the whole, in the order of their ids', async () => {
    await fc.assert(
      fc.asyncProperty(networkOf(), fc.integer({ min: 1, max: 7 }), async (rows, count) => {
        const map = mapOf(one(indexOf(rows)), MIN_NODES);
        const members = new MapMembers(map, (work) => Promise.resolve(toEnd(work)));
        for (const node of map.nodes) {
          const ids: string[] = [];
          for (let page: string[] | undefined; page?.length !== 0;) {
            page = await members.page(node, { count, offset: 0, after: ids.at(-1) });
            ids.push(...page);
          }
          expect(ids).toEqual([...new Set(ids)].sort(byBytes));
          expect(ids).toHaveLength(node.count);
          expect(await members.page(node, { count, offset: 2, after: undefined })).toEqual(
            ids.slice(2, 2 + count),
          );
          // An id that is not there has a place, too.
          const later = ids.filter((id) => byBytes(id, 'e3x') > 0).slice(0, count);
          expect(await members.page(node, { count, offset: 0, after: 'e3x' })).toEqual(later);
        }
      }),
      costlyRuns(5),
    );
  });
});

test('the work never goes far without a pause', () => {
  const index = indexOf([]);
  for (let i = 0; i < 5_000; i += 1) {
    index.putEntity('identity', { id: `i${i}`, attributes: [`a${i % 500}`, `b${i % 7}`] });
  }
  for (let i = 0; i < 500; i += 1) {
    index.putPolicy('servicePolicy', policyOf(`p${i}`, [`#a${i}`, `#b${i % 7}`], []));
  }
  let steps = 0;
  for (const work = accessMap(one(index), {}, 200); work.next().done !== true;) steps += 1;
  expect(steps).toBeGreaterThan(1_000);
});
