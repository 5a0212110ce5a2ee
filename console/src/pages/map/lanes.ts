import { edgesOf, otherEnd, type MapGraph, type MapKind } from './map-graph.js';

/** A place in the unit square. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export type Places = ReadonlyMap<string, Place>;

/** Kinds of one lane stand below each other. */
const LANES: readonly (readonly MapKind[])[] = [
  ['identity'],
  ['servicePolicy'],
  ['service'],
  ['serviceEdgeRouterPolicy', 'edgeRouterPolicy'],
  ['edgeRouter'],
];

/** More rounds hardly change the order. */
const ROUNDS = 6;

/**
 * Puts classes and policies into lanes, in an order with few crossings. A lane without nodes takes no
 * place, unless all lanes are wanted.
 */
export function placeInLanes(graph: MapGraph, areAllWanted = false): Places {
  const lanes = LANES.map((kinds) =>
    kinds.flatMap((kind) => graph.map.nodes.filter((node) => node.kind === kind)),
  )
    .map((nodes) => nodes.map(({ key }) => key))
    .filter((keys) => areAllWanted || keys.length > 0);
  const heights = new Map<string, number>();
  for (const lane of lanes) spread(lane, heights);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) {
      sortByNeighbours(graph, lane, heights);
    }
  }
  return new Map(
    lanes.flatMap((lane, i) =>
      lane.map((key) => {
        const x = lanes.length === 1 ? 0.5 : i / (lanes.length - 1);
        return [key, { x, y: heights.get(key) ?? 0 }] as const;
      }),
    ),
  );
}

function spread(lane: readonly string[], heights: Map<string, number>): void {
  for (const [i, key] of lane.entries()) heights.set(key, (i + 0.5) / lane.length);
}

/** A node goes to the middle of its neighbours (the barycentre heuristic of Sugiyama). */
function sortByNeighbours(graph: MapGraph, lane: string[], heights: Map<string, number>): void {
  const wanted = new Map(lane.map((key) => [key, middleOf(graph, key, heights)]));
  lane.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
  spread(lane, heights);
}

/** The largest edges count no more than others: the order is about lines. A node without edges stays. */
function middleOf(graph: MapGraph, key: string, heights: ReadonlyMap<string, number>): number {
  const edges = edgesOf(graph, key);
  if (edges.length === 0) return heights.get(key) ?? 0;
  const sum = edges.reduce((total, edge) => total + (heights.get(otherEnd(edge, key)) ?? 0), 0);
  return sum / edges.length;
}
