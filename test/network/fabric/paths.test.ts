import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Links, costOfLink, type LinkReport } from '../../../src/network/fabric/links.js';
import { Paths, type RouterNode } from '../../../src/network/fabric/paths.js';
import { runs } from '../../support/runs.js';

/* The cheapest ways between routers, against another algorithm. */

interface Mesh {
  readonly nodes: RouterNode[];
  readonly links: Links;
  readonly paths: Paths;
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly isDown?: boolean;
  readonly staticCost?: number;
}

const report = (id: string, destinationId: string): LinkReport => ({
  id,
  destinationId,
  iteration: 1,
  protocol: 'tls',
  dialAddress: '',
  connections: [],
});

function mesh(nodes: RouterNode[], edges: readonly Edge[]): Mesh {
  const links: Links = new Links({
    onCosts: (one, other) => {
      paths.linksChanged(one, other);
    },
    stored: { put: () => undefined, remove: () => undefined },
    now: () => new Date(),
  });
  const paths = new Paths((one, other) => links.cheapest(one, other));
  for (const node of nodes) paths.setRouter(node);
  for (const [i, { from, to, isDown = false, staticCost = 1 }] of edges.entries()) {
    const [source, destination] = [nodes[from], nodes[to]];
    if (!source || !destination || from === to) continue;
    const id = `link ${String(i)}`;
    links.report(source.id, [report(id, destination.id)]);
    links.set(id, { isDown, staticCost });
  }
  return { nodes, links, paths };
}

/** The costs of all ways by Floyd and Warshall; routers without traversal are only ends. */
function allCosts({ nodes, links }: Mesh): Map<string, number> {
  const key = (from: string, to: string): string => `${from} ${to}`;
  const costs = new Map<string, number>();
  const costOf = (from: string, to: string): number => costs.get(key(from, to)) ?? Infinity;
  const enter = new Map(nodes.map(({ id, cost }) => [id, Math.max(cost, 10)]));
  for (const { id } of nodes) costs.set(key(id, id), 0);
  for (const link of nodes.flatMap(({ id }) => links.of(id))) {
    if (link.isDown) continue;
    for (const [from, to] of [
      [link.sourceId, link.destinationId],
      [link.destinationId, link.sourceId],
    ] as const) {
      const cost = costOfLink(link) + (enter.get(to) ?? 0);
      if (cost < costOf(from, to)) costs.set(key(from, to), cost);
    }
  }
  for (const { id: over, noTraversal } of nodes) {
    if (noTraversal) continue;
    for (const { id: from } of nodes) {
      for (const { id: to } of nodes) {
        const cost = costOf(from, over) + costOf(over, to);
        if (cost < costOf(from, to)) costs.set(key(from, to), cost);
      }
    }
  }
  return costs;
}

const meshes = fc
  .record({
    nodes: fc.array(fc.record({ cost: fc.nat(200), noTraversal: fc.boolean() }), {
      minLength: 1,
      maxLength: 20,
    }),
    edges: fc.array(
      fc.record({
        from: fc.nat(19),
        to: fc.nat(19),
        isDown: fc.boolean(),
        staticCost: fc.nat(100),
      }),
      { maxLength: 60 },
    ),
  })
  .map(({ nodes, edges }) =>
    mesh(
      nodes.map((node, i) => ({ ...node, id: `router ${String(i)}` })),
      edges,
    ),
  );

test('a path costs as little as any way, and consists of its links', () => {
  fc.assert(
    fc.property(meshes, (one) => {
      const costs = allCosts(one);
      for (const { id: from } of one.nodes) {
        for (const { id: to } of one.nodes) {
          const path = one.paths.between(from, to);
          expect(path?.cost).toBe(costs.get(`${from} ${to}`));
          if (!path) continue;
          expect([path.routerIds[0], path.routerIds.at(-1)]).toEqual([from, to]);
          expect(path.linkIds).toHaveLength(path.routerIds.length - 1);
          const links = path.linkIds.flatMap((id) => one.links.get(id) ?? []);
          expect(one.paths.costOver(path.routerIds, links)).toBe(path.cost);
          for (const [i, linkId] of path.linkIds.entries()) {
            const { sourceId, destinationId } = one.links.get(linkId) ?? {};
            expect([sourceId, destinationId].sort()).toEqual(
              [path.routerIds[i], path.routerIds[i + 1]].sort(),
            );
          }
          for (const id of path.routerIds.slice(1, -1)) {
            expect(one.nodes.find((node) => node.id === id)?.noTraversal).toBe(false);
          }
        }
      }
    }),
    runs(40),
  );
});

test('an owner begins without links, and knows again what was measured and set', () => {
  const nodes = ['a', 'b'].map((id) => ({ id, cost: 0, noTraversal: false }));
  const { links, paths } = mesh(nodes, [{ from: 0, to: 1, staticCost: 7 }]);
  links.measured('a', 'link 0', 3);
  links.measured('b', 'link 0', 4);
  links.load(links.of('a'));
  expect([links.of('a'), paths.between('a', 'b')]).toEqual([[], undefined]);
  links.report('a', [report('link 0', 'b')]);
  // The least cost of a router, and 7 + 3 + 4.
  expect(paths.between('a', 'b')?.cost).toBe(24);
  // A link that was made again is another one.
  links.report('a', [{ ...report('link 0', 'b'), iteration: 2 }]);
  expect(paths.between('a', 'b')?.cost).toBe(130_011);
});

test('a change of the links is known at once', () => {
  const nodes = ['a', 'b', 'c'].map((id) => ({ id, cost: 0, noTraversal: false }));
  const { links, paths } = mesh(nodes, [
    { from: 0, to: 1 },
    { from: 1, to: 2 },
  ]);
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'b', 'c']);
  links.report('c', [report('direct', 'a')]);
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'c']);
  links.set('direct', { isDown: true });
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'b', 'c']);
  links.set('direct', { isDown: false });
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'c']);
  links.remove('direct');
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'b', 'c']);
  expect(paths.between('a', 'nobody')).toBeUndefined();
  expect(paths.between('nobody', 'a')).toBeUndefined();
  paths.removeRouter('b');
  expect(paths.between('a', 'c')).toBeUndefined();
  expect(paths.between('b', 'a')).toBeUndefined();
  paths.setRouter({ id: 'b', cost: 0, noTraversal: false });
  expect(paths.between('a', 'c')?.routerIds).toEqual(['a', 'b', 'c']);
});
