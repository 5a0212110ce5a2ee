import { edgesOf, isPolicy, type MapEdge, type MapGraph, type MapKind } from './map-graph.js';
import type { Layout } from './map-search.js';
import { placeInLanes, type Places } from './lanes.js';
import { labelOf, oneOfKind } from './map-words.js';

/** What an edge stands for: the kind of access, or some members and some policies only (`part`). */
export const EDGE_KINDS = ['Dial', 'Bind', 'routers', 'part'] as const;

export type EdgeKind = (typeof EDGE_KINDS)[number];

export const edgeKindOf = ({ type, isComplete }: MapEdge): EdgeKind =>
  isComplete ? (type ?? 'routers') : 'part';

/** Kinds of nodes and edges of other pictures: routers by their state, and the links between them. */
export const ROUTER_KINDS = ['routerOnline', 'routerOffline', 'routerDisabled'] as const;
export const LINK_KINDS = ['link', 'linkDown'] as const;

export type SceneNodeKind = MapKind | (typeof ROUTER_KINDS)[number];
export type SceneEdgeKind = EdgeKind | (typeof LINK_KINDS)[number];

export interface SceneNode {
  readonly key: string;
  readonly kind: SceneNodeKind;
  /** Policies are squares, classes are discs. */
  readonly isPolicy: boolean;
  readonly label: string;
  /** The label with the kind before it. */
  readonly fullLabel: string;
  readonly x: number;
  /** Upwards. */
  readonly y: number;
  /** The radius in pixels. */
  readonly size: number;
}

export interface SceneEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: SceneEdgeKind;
  /** What it stands for. */
  readonly edge: object;
}

/** What is drawn, without colours: the picture and the file of it have the same places. */
export interface Scene {
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly SceneEdge[];
}

const HEIGHT = 600;
const WIDTH = 1_000;
const SMALLEST = 3;
const LARGEST = 24;
/** The largest radius by the distance of two nodes. */
const RADIUS = 0.42;

/** Lays a map out. */
export async function sceneOf(graph: MapGraph, layout: Layout): Promise<Scene> {
  const lanes = placeInLanes(graph);
  const places = layout === 'lanes' ? lanes : await forced(graph, lanes);
  const room = layout === 'lanes' ? roomInLanes(graph) : HEIGHT / 8;
  const largest = Math.max(room * RADIUS, SMALLEST);
  const nodes = graph.map.nodes.map((node): SceneNode => {
    const place = places.get(node.key) ?? { x: 0, y: 0 };
    const label = labelOf(node);
    return {
      key: node.key,
      kind: node.kind,
      isPolicy: isPolicy(node),
      label,
      fullLabel: `${oneOfKind(node.kind)}: ${label}`,
      x: place.x * WIDTH,
      y: (1 - place.y) * HEIGHT,
      size: Math.min(sizeOf(node.count), largest),
    };
  });
  const edges = graph.map.edges.map((edge): SceneEdge => ({
    from: edge.classKey,
    to: edge.policyKey,
    kind: edgeKindOf(edge),
    edge,
  }));
  return { layout, width: WIDTH, height: HEIGHT, nodes, edges };
}

/** The layout is loaded when it is wanted. */
async function forced(graph: MapGraph, from: Places): Promise<Places> {
  if (graph.map.nodes.every(({ key }) => edgesOf(graph, key).length === 0)) return from;
  const { placeByForce } = await import('./force.js');
  return placeByForce(graph, from);
}

/** One is small, ten times as many are so much larger. */
const sizeOf = (count: number): number => Math.min(5 + 4 * Math.log10(Math.max(count, 1)), LARGEST);

/** How far the nodes of the fullest lane are from each other. */
function roomInLanes({ map }: MapGraph): number {
  const counts = new Map<MapKind, number>();
  for (const { kind } of map.nodes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return HEIGHT / Math.max(1, ...counts.values());
}
