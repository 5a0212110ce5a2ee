import type { Layout } from '../../addresses/map-search.js';
import type { EdgeKind, Mark, Scene, SceneEdge, SceneNode } from '../../parts/picture/scene.js';
import { texts } from '../../texts.js';
import {
  edgesOf,
  isPolicy,
  type MapEdge,
  type MapGraph,
  type MapKind,
  type MapNode,
} from './map-graph.js';
import { levelOf, signOfLevel, wordsOfLevel, type ColoredBy } from './levels.js';
import { placeInLanes, type Places } from './lanes.js';
import { labelOf, oneOfKind } from './map-words.js';
import { NOTHING, PlaceMemory, type Appeared } from './place-memory.js';

export const edgeKindOf = ({ type, isComplete }: MapEdge): EdgeKind =>
  isComplete ? (type ?? 'routers') : 'part';

const HEIGHT = 600;
const WIDTH = 1_000;
const MIN_SIZE = 3;
const MAX_SIZE = 24;
/** The largest radius by the distance of two nodes. */
const RADIUS = 0.42;

/** Lays a map out by itself. */
export async function sceneOf(graph: MapGraph, layout: Layout, look: ColoredBy): Promise<Scene> {
  const places = await placesOf(graph, layout, false);
  return drawn({ graph, layout, look, places, room: roomOf(graph, layout), appeared: NOTHING });
}

/** Lays the maps of several times out alike, like that of the present. */
export class Scenes {
  readonly #memory = new PlaceMemory();
  readonly #begun: Promise<void>;

  constructor(
    private readonly present: MapGraph,
    private readonly layout: Layout,
  ) {
    this.#begun = this.#begin();
  }

  /** Takes the id of the change after which the map is; undefined: now. */
  async sceneOf(graph: MapGraph, look: ColoredBy, at: string | undefined): Promise<Scene> {
    const { present, layout } = this;
    await this.#begun;
    const fresh = layout === 'lanes' ? placeInLanes(graph, true) : NO_PLACES;
    const places = this.#memory.placesOf(graph, fresh);
    const appeared = this.#memory.appeared(graph, at);
    const room = roomOf(present, layout);
    return { ...drawn({ graph, layout, look, places, room, appeared }), isStep: true };
  }

  async #begin(): Promise<void> {
    this.#memory.begin(this.present, await placesOf(this.present, this.layout, true));
  }
}

const NO_PLACES: Places = new Map();

async function placesOf(
  graph: MapGraph,
  layout: Layout,
  areAllLanesWanted: boolean,
): Promise<Places> {
  const lanes = placeInLanes(graph, areAllLanesWanted);
  return layout === 'lanes' ? lanes : forced(graph, lanes);
}

const roomOf = (graph: MapGraph, layout: Layout): number =>
  layout === 'lanes' ? roomInLanes(graph) : HEIGHT / 8;

interface Drawn {
  readonly graph: MapGraph;
  readonly layout: Layout;
  readonly look: ColoredBy;
  readonly places: Places;
  /** How far nodes are from each other. */
  readonly room: number;
  readonly appeared: Appeared;
}

function drawn({ graph, layout, look, places, room, appeared }: Drawn): Scene {
  const largest = Math.max(room * RADIUS, MIN_SIZE);
  const nodes = graph.map.nodes.map((node): SceneNode => {
    const place = places.get(node.key) ?? { x: 0, y: 0 };
    const sign = signOfLevel(graph, node, look);
    const name = labelOf(node);
    const label = sign === '' ? name : texts.map.withSign(name, sign);
    const mark = appeared.nodes.has(node.key) ? 'gained' : markOf(node);
    return {
      key: node.key,
      kind: node.kind,
      isPolicy: isPolicy(node),
      label: mark ? texts.map.marked[mark](label) : label,
      fullLabel: `${oneOfKind(node.kind)}: ${texts.map.withWords(name, wordsOfLevel(graph, node, look))}`,
      x: place.x * WIDTH,
      y: (1 - place.y) * HEIGHT,
      size: Math.min(sizeOf(node.count), largest),
      mark,
      level: levelOf(graph, node, look),
    };
  });
  const edges = graph.map.edges.map((edge): SceneEdge => ({
    from: edge.classKey,
    to: edge.policyKey,
    kind: edgeKindOf(edge),
    edge,
    mark: appeared.edges.has(edge) ? 'gained' : markOf(edge),
  }));
  return { layout, width: WIDTH, height: HEIGHT, nodes, edges, isStep: false };
}

export function markOf({ change }: MapNode | MapEdge): Mark | undefined {
  if (change === 'GAINED') return 'gained';
  return change === 'LOST' ? 'lost' : undefined;
}

/** The layout is loaded when it is wanted. */
async function forced(graph: MapGraph, from: Places): Promise<Places> {
  if (graph.map.nodes.every(({ key }) => edgesOf(graph, key).length === 0)) return from;
  const { placeByForce } = await import('./force.js');
  return placeByForce(graph, from);
}

/** One is small, ten times as many are so much larger. */
const sizeOf = (count: number): number =>
  Math.min(5 + 4 * Math.log10(Math.max(count, 1)), MAX_SIZE);

/** How far the nodes of the fullest lane are from each other. */
function roomInLanes({ map }: MapGraph): number {
  const counts = new Map<MapKind, number>();
  for (const { kind } of map.nodes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return HEIGHT / Math.max(1, ...counts.values());
}
