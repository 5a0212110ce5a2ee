import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import type { MapLayout } from './map-layout.js';
import { KINDS_OF, SIDE_OF } from './map-scope.js';
import type {
  DistinctSide,
  MapChange,
  MapKind,
  MapPolicy,
  MapScope,
  MapSide,
} from './map-scope.js';
import { NodeCounts } from './node-counts.js';
import type { NodeCount } from './node-counts.js';

/** Members of a node of entities in a side of a node of policies. */
export interface LayoutEdge extends NodeCount {
  readonly kind: MapKind;
  /** The position of the node of policies. */
  readonly policyNode: number;
}

export interface LayoutEdges {
  readonly edges: readonly LayoutEdge[];
  /** By the position of the node of policies: the number of entities in each side. */
  readonly sideCounts: readonly ReadonlyMap<MapSide, number>[];
}

/** Gives the edges of a layout; undefined if there are more than `most`. */
export function* edgesOf(
  scope: MapScope,
  { classes, policies }: MapLayout,
  most: number,
): Sliced<LayoutEdges | undefined> {
  const counts = new Map([...classes].map(([kind, layout]) => [kind, new NodeCounts(layout)]));
  const edges: LayoutEdge[] = [];
  const sideCounts: Map<MapSide, number>[] = [];
  for (const [policyNode, { items }] of policies.entries()) {
    const policy = scope.policies[items[0] ?? -1];
    const sizes = new Map<MapSide, number>();
    for (const kind of policy ? KINDS_OF[policy.kind] : []) {
      const ofKind = counts.get(kind);
      if (!policy || !ofKind) continue;
      const sides = items.flatMap((position) => scope.sideOf(position, kind) ?? []);
      const joined = yield* joinedBy(ofKind, sides, policy);
      for (const count of joined.counts) edges.push({ kind, policyNode, ...count });
      if (edges.length > most) return undefined;
      sizes.set(SIDE_OF[kind], joined.memberCount);
      yield;
    }
    sideCounts.push(sizes);
  }
  return { edges, sideCounts };
}

interface Joined {
  readonly counts: readonly NodeCount[];
  /** The number of entities in the sides, in the later state in which the policies exist. */
  readonly memberCount: number;
}

/** Gives the nodes that the sides of the policies of one node join. */
function* joinedBy(
  counts: NodeCounts,
  sides: readonly DistinctSide[],
  policy: MapPolicy,
): Sliced<Joined> {
  const distinct = [...new Set(sides)];
  const [first] = distinct;
  if (first && distinct.length === 1) {
    const nodes = counts.ofOne(first);
    return { counts: nodes, memberCount: countOf(nodes, policy) };
  }
  yield* eachSliced(distinct, 8, (side) => {
    counts.add(side);
  });
  const countedTwice = policy.after ? counts.countInBoth('KEPT', 'GAINED') : 0;
  const nodes = counts.ofAdded(distinct.length);
  return { counts: nodes, memberCount: countOf(nodes, policy) - countedTwice };
}

/** Counts entities in the later state in which the policy exists. */
function countOf(nodes: readonly NodeCount[], policy: MapPolicy): number {
  const later: readonly MapChange[] = policy.after ? ['KEPT', 'GAINED'] : ['LOST'];
  return nodes.reduce((sum, { change, count }) => sum + (later.includes(change) ? count : 0), 0);
}
