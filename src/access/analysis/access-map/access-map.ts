import { compareBytes } from '../../../base/byte-order.js';
import { attribute, bool, described, id, int } from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { ClassKeys } from './class-keys.js';
import { EntityClasses } from './entity-classes.js';
import { edgesOf } from './map-edges.js';
import type { LayoutEdge, LayoutEdges } from './map-edges.js';
import { layoutOf, MIN_NODES } from './map-layout.js';
import type { MapLayout } from './map-layout.js';
import { classNode, compareNodes, policyNode, sideCountsOf } from './map-node.js';
import type { MapNode } from './map-node.js';
import { alone } from './node-items.js';
import { MAP_CHANGE, MAP_KINDS, MAP_SIDE, MapScope, SIDE_OF } from './map-scope.js';
import type { MapChange, MapKind, MapQuery, MapSide, MapStates } from './map-scope.js';

/** Maps are for pictures: more nodes or edges show nothing. */
export const MAX_NODES = 2_000;
export const DEFAULT_NODES = 200;
/** With more edges, more nodes are merged. */
export const MAX_EDGES = 10_000;

@described(
  'Members of a class that a policy selects on a side. Of a policy with complete edges on both sides, every member of the one class has the access to every member of the other. Together the edges of an unmerged map are exactly the access.',
)
export class AccessMapEdge {
  @attribute(id(), { description: 'Key of the node of the class.' })
  readonly classKey!: string;

  @attribute(id(), { description: 'Key of the node of the policy.' })
  readonly policyKey!: string;

  @attribute(MAP_SIDE, { description: 'The side of the policy.' })
  readonly side!: MapSide;

  @attribute(ACCESS_TYPE, {
    nullable: true,
    description: 'Dialing or hosting; null for policies of routers.',
  })
  readonly type!: ServicePolicyType | null;

  @attribute(int(), {
    description: 'Number of members that at least one of the merged policies selects.',
  })
  readonly count!: number;

  @attribute(bool(), {
    description:
      'Whether each of the merged policies selects each of the members. Otherwise some select some of them, which proves no access. Always true between nodes that are not merged.',
  })
  readonly isComplete!: boolean;

  @attribute(MAP_CHANGE, {
    nullable: true,
    description:
      'Whether the policies select the members before the changes, after them, or both; null without `changes`. Merged nodes may have an edge for each.',
  })
  readonly change!: MapChange | null;
}

/** An edge of a map of one state is kept. */
export interface MapEdge extends AccessMapEdge {
  readonly change: MapChange;
}

/** The policy graph of a network: classes of entities, policies, and how they join. */
export class AccessMap {
  constructor(
    readonly scope: MapScope,
    readonly classes: ReadonlyMap<MapKind, EntityClasses>,
    readonly nodes: readonly MapNode[],
    readonly edges: readonly MapEdge[],
  ) {}

  /** Whether the map compares two states. */
  get isPair(): boolean {
    return this.scope.isPair;
  }

  /** Whether a node is merged of several classes or policies. */
  get isMerged(): boolean {
    return this.nodes.some(({ items }) => items.length > 1);
  }

  /** Gives a node by its key: one of the map, or a class or a policy that the map merges. */
  *find(key: string): Sliced<MapNode | undefined> {
    const shown = this.nodes.find((node) => node.key === key);
    if (shown || !this.isMerged) return shown;
    for (const classes of this.classes.values()) {
      const keys = yield* ClassKeys.of(classes);
      const number = yield* keys.classWith(key);
      if (number !== undefined) return classNode(classes, keys, alone(number));
    }
    for (const position of this.scope.policies.keys()) {
      const node = policyNode(this.scope, alone(position), new Map());
      if (node.key === key) return { ...node, sideCounts: sideCountsOf(this.scope, position) };
      if (position % 256 === 255) yield;
    }
    return undefined;
  }
}

function* mapOf(
  scope: MapScope,
  classes: ReadonlyMap<MapKind, EntityClasses>,
  layout: MapLayout,
  { edges, sideCounts }: LayoutEdges,
): Sliced<AccessMap> {
  const classNodes = new Map<MapKind, MapNode[]>();
  for (const [kind, ofKind] of layout.classes) {
    const nodes: MapNode[] = [];
    const keys = yield* ClassKeys.of(ofKind.classes);
    yield* eachSliced(ofKind.nodes, 4, (node) => {
      nodes.push(classNode(ofKind.classes, keys, node));
    });
    classNodes.set(kind, nodes);
  }
  const policyNodes: MapNode[] = [];
  yield* eachSliced(layout.policies, 1, (node) => {
    policyNodes.push(policyNode(scope, node, sideCounts[policyNodes.length] ?? new Map()));
  });
  const nodes = [...classNodes.values(), policyNodes].flat().sort(compareNodes);
  yield;
  const mapEdges = edges.flatMap((edge) => {
    const from = classNodes.get(edge.kind)?.[edge.node];
    const to = policyNodes[edge.policyNode];
    return from && to ? [edgeBetween(from, to, edge)] : [];
  });
  return new AccessMap(scope, classes, nodes, inOrder(mapEdges, nodes));
}

const edgeBetween = (
  from: MapNode,
  to: MapNode,
  { kind, count, isComplete, change }: LayoutEdge,
): MapEdge => ({
  classKey: from.key,
  policyKey: to.key,
  side: SIDE_OF[kind],
  type: to.type ?? null,
  count,
  isComplete,
  change,
});

function inOrder(edges: readonly MapEdge[], nodes: readonly MapNode[]): MapEdge[] {
  const positions = new Map(nodes.map(({ key }, i) => [key, i]));
  const positionOf = (key: string): number => positions.get(key) ?? 0;
  return edges.toSorted(
    (a, b) =>
      positionOf(a.policyKey) - positionOf(b.policyKey) ||
      compareBytes(a.side, b.side) ||
      positionOf(a.classKey) - positionOf(b.classKey) ||
      compareBytes(a.change, b.change),
  );
}

/** Makes the map of a network, or of two states of it, with at most `mostNodes` nodes. */
export function* accessMap(
  states: MapStates,
  query: MapQuery,
  mostNodes: number,
): Sliced<AccessMap> {
  const scope = yield* MapScope.of(states, query);
  const classes = new Map<MapKind, EntityClasses>();
  for (const kind of MAP_KINDS) {
    classes.set(kind, yield* EntityClasses.of(scope, kind));
  }
  for (let most = mostNodes; ; most = fewer(most)) {
    const layout = yield* layoutOf(scope, classes, most);
    // The smallest map has few edges.
    const edges = yield* edgesOf(scope, layout, most > MIN_NODES ? MAX_EDGES : Infinity);
    if (edges) return yield* mapOf(scope, classes, layout, edges);
  }
}

const fewer = (most: number): number => Math.max(MIN_NODES, Math.floor(most * 0.7));
