import type { AccessMapPictureResult } from '../../emitted/operations.js';
import type { Lit } from '../../parts/picture/scene.js';

export type AccessMap = NonNullable<AccessMapPictureResult['accessMap']>;
export type MapNode = AccessMap['nodes'][number];
export type MapEdge = AccessMap['edges'][number];
export type MapKind = MapNode['kind'];

/** A map with its nodes and edges at hand by key. */
export interface MapGraph {
  readonly map: AccessMap;
  readonly nodes: ReadonlyMap<string, MapNode>;
  /** By the keys of both ends. */
  readonly edges: ReadonlyMap<string, readonly MapEdge[]>;
}

export function graphOf(map: AccessMap): MapGraph {
  const edges = new Map<string, MapEdge[]>();
  for (const edge of map.edges) {
    for (const key of [edge.classKey, edge.policyKey]) {
      const present = edges.get(key);
      if (present) present.push(edge);
      else edges.set(key, [edge]);
    }
  }
  return { map, nodes: new Map(map.nodes.map((node) => [node.key, node])), edges };
}

const NO_EDGES: readonly MapEdge[] = [];

export const edgesOf = ({ edges }: MapGraph, key: string): readonly MapEdge[] =>
  edges.get(key) ?? NO_EDGES;

export const otherEnd = ({ classKey, policyKey }: MapEdge, key: string): string =>
  classKey === key ? policyKey : classKey;

export const isPolicy = ({ kind }: MapNode): boolean => kind.endsWith('Policy');

/**
 * A policy is shown with its classes. A class is shown with its policies and with the classes on their
 * other sides, since the policies join it with these.
 */
export function litBy(graph: MapGraph, key: string | undefined): Lit | undefined {
  const node = key === undefined ? undefined : graph.nodes.get(key);
  if (!node) return undefined;
  const edges = new Set(edgesOf(graph, node.key));
  if (!isPolicy(node)) {
    for (const { policyKey, side } of [...edges]) {
      for (const edge of edgesOf(graph, policyKey)) if (edge.side !== side) edges.add(edge);
    }
  }
  const nodes = new Set([node.key]);
  for (const { classKey, policyKey } of edges) nodes.add(classKey).add(policyKey);
  return { marked: new Set([node.key]), nodes, edges };
}

/** The parts that changes would add or take away, with the ends of the connections; undefined without any. */
export function litByChange({ map }: MapGraph): Lit | undefined {
  const isChange = ({ change }: MapNode | MapEdge): boolean =>
    change === 'GAINED' || change === 'LOST';
  const edges = map.edges.filter(isChange);
  const nodes = new Set(map.nodes.filter(isChange).map(({ key }) => key));
  for (const { classKey, policyKey } of edges) nodes.add(classKey).add(policyKey);
  return nodes.size === 0 ? undefined : { marked: new Set(), nodes, edges: new Set(edges) };
}
