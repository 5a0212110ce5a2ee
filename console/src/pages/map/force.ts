import { MultiUndirectedGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import type { Place, Places } from './lanes.js';
import type { MapGraph } from './map-graph.js';

/** Node by node, so many rounds that the largest map takes about a second. */
const WORK = 120_000;
const MAX_ROUNDS = 600;
const MIN_ROUNDS = 60;

/** Lets nodes repel each other while edges hold them together; equal maps give equal pictures. */
export function placeByForce({ map }: MapGraph, from: Places): Places {
  const graph = new MultiUndirectedGraph();
  for (const { key } of map.nodes) graph.addNode(key, { ...from.get(key) });
  for (const { classKey, policyKey } of map.edges) graph.addEdge(classKey, policyKey);
  const rounds = Math.round(WORK / Math.max(map.nodes.length, 1));
  const places = forceAtlas2(graph, {
    iterations: Math.min(Math.max(rounds, MIN_ROUNDS), MAX_ROUNDS),
    settings: { ...forceAtlas2.inferSettings(graph), strongGravityMode: true, gravity: 0.08 },
  });
  return inUnitSquare(Object.entries(places));
}

function inUnitSquare(places: readonly (readonly [string, Place])[]): Places {
  const [x, y] = [range(places.map(([, place]) => place.x)), range(places.map(([, p]) => p.y))];
  return new Map(
    places.map(([key, place]) => [
      key,
      { x: (place.x - x.least) / x.length, y: (place.y - y.least) / y.length },
    ]),
  );
}

function range(values: readonly number[]): { readonly least: number; readonly length: number } {
  const least = Math.min(...values);
  return { least, length: Math.max(...values) - least || 1 };
}
