import { edgesOf, otherEnd, type MapEdge, type MapGraph, type MapNode } from './map-graph.js';
import type { Place, Places } from './lanes.js';

/** The nodes and edges that the map before did not have. */
export interface Appeared {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<MapEdge>;
}

interface Shown {
  /** The id of a change; undefined: now. */
  readonly at: string | undefined;
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

/**
 * Keeps the places of nodes over the maps of several times. The key of a class follows from its
 * policies, so a class has another one after a policy was added. It is then known by its first members.
 */
export class PlaceMemory {
  /** The places by key, and by the names of members. */
  readonly #places = new Map<string, Place>();
  /** The names of nodes that stay the same over maps: their first keys. */
  readonly #tracks = new Map<string, string>();
  #shown: Shown | undefined;

  /** Takes the places of the map that all others are shown like. */
  begin(graph: MapGraph, places: Places): void {
    for (const node of graph.map.nodes) this.#keep(node, places.get(node.key) ?? MIDDLE);
  }

  /** Gives each node its earlier place, and finds one for new nodes near what they are joined with. */
  placesOf(graph: MapGraph, fresh: Places): Places {
    const places = new Map<string, Place>();
    const taken = new Set<string>();
    for (const names of [keyOf, namesOf]) {
      for (const node of graph.map.nodes) {
        if (!places.has(node.key)) this.#claim(node, names(node), taken, places);
      }
    }
    for (const node of graph.map.nodes) {
      if (places.has(node.key)) continue;
      const place = newPlace(graph, node, places, fresh.get(node.key));
      places.set(node.key, place);
      this.#keep(node, place);
    }
    return places;
  }

  /** Tells what appears with this map after an earlier one, and takes it for the one that is shown. */
  appeared(graph: MapGraph, at: string | undefined): Appeared {
    const before = this.#shown;
    const trackOf = (key: string): string => this.#tracks.get(key) ?? key;
    const nameOf = ({ classKey, policyKey, side, type }: MapEdge): string =>
      [trackOf(classKey), trackOf(policyKey), side, type].join(' ');
    this.#shown = {
      at,
      nodes: new Set(graph.map.nodes.map(({ key }) => trackOf(key))),
      edges: new Set(graph.map.edges.map(nameOf)),
    };
    if (!before || !isLater(at, before.at)) return NOTHING;
    const nodes = graph.map.nodes.filter(({ key }) => !before.nodes.has(trackOf(key)));
    const edges = graph.map.edges.filter((edge) => !before.edges.has(nameOf(edge)));
    return { nodes: new Set(nodes.map(({ key }) => key)), edges: new Set(edges) };
  }

  /** Gives a node the place of the first of its names that no other node has taken. */
  #claim(
    node: MapNode,
    names: readonly string[],
    taken: Set<string>,
    places: Map<string, Place>,
  ): void {
    for (const name of names) {
      const track = this.#tracks.get(name);
      const place = track === undefined ? undefined : this.#places.get(track);
      if (track === undefined || !place || taken.has(track)) continue;
      taken.add(track);
      places.set(node.key, place);
      this.#remember(node, track);
      return;
    }
  }

  #keep(node: MapNode, place: Place): void {
    this.#places.set(node.key, place);
    this.#remember(node, node.key);
  }

  #remember(node: MapNode, track: string): void {
    this.#tracks.set(node.key, track);
    for (const name of namesOf(node)) if (!this.#tracks.has(name)) this.#tracks.set(name, track);
  }
}

/** Ids of changes are ordered as texts; a time is none. */
const isLater = (at: string | undefined, before: string | undefined): boolean =>
  before !== undefined && !before.includes('T') && (at === undefined || at > before);

export const NOTHING: Appeared = { nodes: new Set(), edges: new Set() };

const MIDDLE: Place = { x: 0.5, y: 0.5 };

const keyOf = ({ key }: MapNode): readonly string[] => [key];

/** Its kind with each of its first members. */
const namesOf = ({ kind, type, sampleNames }: MapNode): readonly string[] =>
  sampleNames.map((name) => JSON.stringify([kind, type, name]));

/** Nodes whose places differ by less to the right stand in one lane. */
const LANE = 0.02;
/** The largest room that a node needs above and below itself. */
const ROOM = 0.03;

/** Goes near the middle of the neighbours, where its lane has room. */
function newPlace(
  graph: MapGraph,
  { key }: MapNode,
  places: Places,
  fresh: Place | undefined,
): Place {
  const middle = middleOf(
    edgesOf(graph, key).flatMap((edge) => places.get(otherEnd(edge, key)) ?? []),
  );
  const x = fresh?.x ?? middle?.x ?? MIDDLE.x;
  const lane = [...places.values()].filter((place) => Math.abs(place.x - x) < LANE);
  const heights = lane.map(({ y }) => y).sort((a, b) => a - b);
  return { x, y: freeHeight(heights, middle?.y ?? fresh?.y ?? MIDDLE.y) };
}

function middleOf(places: readonly Place[]): Place | undefined {
  if (places.length === 0) return undefined;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return { x: mean(places.map(({ x }) => x)), y: mean(places.map(({ y }) => y)) };
}

/** The height nearest to the wanted one with room to the others; in a full lane the one with the most room. */
function freeHeight(heights: readonly number[], wanted: number): number {
  const room = Math.min(ROOM, 0.4 / (heights.length + 1));
  if (heights.every((height) => Math.abs(height - wanted) >= room)) return wanted;
  const gaps = [...heights, 1].map((to, i) => ({ from: heights[i - 1] ?? 0, to }));
  const middles = gaps.map(({ from, to }) => ({ at: (from + to) / 2, room: (to - from) / 2 }));
  const free = middles.filter((middle) => middle.room >= room);
  const [best] =
    free.length > 0
      ? free.sort((a, b) => Math.abs(a.at - wanted) - Math.abs(b.at - wanted))
      : middles.sort((a, b) => b.room - a.room);
  return best?.at ?? wanted;
}
