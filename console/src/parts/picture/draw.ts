import { MultiUndirectedGraph } from 'graphology';
import type { NodeLabelDrawingFunction } from 'sigma/rendering';
import type { EdgeDisplayData, NodeDisplayData } from 'sigma/types';
import { drawLayers } from './draw-layers.js';
import { FlatDiscProgram, FlatLineProgram, FlatSquareProgram } from './flat-programs.js';
import { neighboursOf, roomOf, shortened } from './label-room.js';
import type { Layout } from '../../addresses/map-search.js';
import { MovingRenderer } from './moving-renderer.js';
import { colorOf, readPalette, type Palette } from './palette.js';
import type { EdgeAttributes, NodeAttributes, Renderer } from './renderer.js';
import type { Lit, Scene, SceneEdge, SceneNode } from './scene.js';
import { isStill, viewOf, WHOLE, type View } from './view.js';

/*
 * The picture by WebGL. This file and its libraries are loaded by the map alone, when it draws.
 */

/** Moves and changes a picture that is on the page. */
export interface Picture extends View {
  /** Shows a part clearly and the rest pale; undefined: all clearly. */
  readonly light: (lit: Lit | undefined) => void;
  /** Reads the colours again. */
  readonly recolor: () => void;
  /** Draws another scene in the place of the present one. The steps of a time keep the view. */
  readonly show: (scene: Scene) => void;
  readonly toPng: () => Promise<Blob | undefined>;
  readonly end: () => void;
}

interface State {
  scene: Scene;
  lit: Lit | undefined;
  palette: Palette;
  /** From 0 to 1: how far the nodes of this step have come. */
  growth: number;
  /** The width of a label of a node that begins at this place: none until the picture has its size. */
  roomOf: (key: string, left: number) => number;
}

type Drawing = NodeLabelDrawingFunction<NodeAttributes, EdgeAttributes>;

const LABEL_SIZE = 12;
/** More labels at once would lie on each other. */
const MAX_FORCED_LABELS = 40;
const THIN = 1;
const THICK = 2;
/** Around the picture. */
const PADDING = 24;
/** Beside the nodes of the last lane, for their labels. */
const ROOM_FOR_LABELS = 110;
/** One label is shown in a cell of so many pixels. Lanes leave room beside their nodes. */
const CELLS: Readonly<Record<Layout, number>> = { lanes: 44, force: 100 };

export function drawPicture(
  container: HTMLElement,
  scene: Scene,
  select: (key: string | undefined) => void,
): Picture {
  const state: State = {
    scene,
    lit: undefined,
    palette: readPalette(container),
    growth: 1,
    roomOf: () => 0,
  };
  const settings = settingsOf(state, CELLS[scene.layout]);
  const renderer: Renderer = new MovingRenderer(
    graphOfScene(scene),
    container,
    settings,
    () => state.palette.ground,
  );
  const fill = (): void => {
    state.roomOf = roomsOf(renderer, state.scene);
    renderer.resize();
    fillStage(renderer, state.scene);
    renderer.refresh();
  };
  fill();
  const grow = growing(renderer, state);
  listen(renderer, container, select);
  const resizes = new ResizeObserver(fill);
  resizes.observe(container);
  return {
    ...viewOf(renderer),
    light: (lit) => {
      state.lit = lit;
      renderer.refresh({ schedule: true });
    },
    recolor: () => {
      state.palette = readPalette(container);
      renderer.setSettings(paletteSettings(state));
      renderer.refresh({ schedule: true });
    },
    show: (next) => {
      const isAlike = next.isStep || haveSameNodes(state.scene, next);
      state.scene = next;
      renderer.setGraph(graphOfScene(next));
      renderer.setSetting('labelGridCellSize', CELLS[next.layout]);
      if (!isAlike) renderer.getCamera().setState(WHOLE);
      grow();
      fill();
    },
    toPng: () => pngOf(renderer, state.palette),
    end: () => {
      resizes.disconnect();
      renderer.kill();
    },
  };
}

/** A map that is read again keeps the view, when nothing came and went. */
function haveSameNodes(a: Scene, b: Scene): boolean {
  const keys = new Set(a.nodes.map(({ key }) => key));
  return (
    a.layout === b.layout &&
    a.nodes.length === b.nodes.length &&
    b.nodes.every(({ key }) => keys.has(key))
  );
}

const GROWTH_MS = 400;

/** Lets the new nodes of a step grow, for those who like motion. */
function growing(renderer: Renderer, state: State): () => void {
  let frame: number | undefined;
  const go = (begin: number, now: number): void => {
    state.growth = Math.min(Math.max((now - begin) / GROWTH_MS, 0), 1);
    renderer.refresh();
    frame =
      state.growth < 1
        ? requestAnimationFrame((next) => {
            go(begin, next);
          })
        : undefined;
  };
  renderer.on('kill', () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
  });
  return () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    const hasNew = state.scene.isStep && state.scene.nodes.some(({ mark }) => mark !== undefined);
    state.growth = hasNew && !isStill() ? 0 : 1;
    if (state.growth === 0) {
      const begin = performance.now();
      frame = requestAnimationFrame((now) => {
        go(begin, now);
      });
    }
  };
}

/** Stretches the scene to the form of its place, so that it fills it. */
function fillStage(renderer: Renderer, { width, height }: Scene): void {
  const place = renderer.getDimensions();
  const room = Math.max(place.width - 2 * PADDING - ROOM_FOR_LABELS, 1);
  const scale = height / Math.max(place.height - 2 * PADDING, 1);
  const stretch = (room * scale) / width;
  renderer
    .getGraph()
    .updateEachNodeAttributes(
      (_, attributes) => ({ ...attributes, x: attributes.node.x * stretch }),
      { attributes: ['x'] },
    );
  // With the form of the place, so that the renderer adds no room of its own.
  const padding = PADDING * scale;
  renderer.setCustomBBox({
    x: [-padding, (room + ROOM_FOR_LABELS) * scale + padding],
    y: [-padding, height + padding],
  });
}

function roomsOf(renderer: Renderer, { nodes }: Scene): State['roomOf'] {
  const neighbours = neighboursOf(nodes);
  return (key, left) => {
    const neighbour = neighbours.get(key);
    const data = neighbour === undefined ? undefined : renderer.getNodeDisplayData(neighbour);
    const next = data && {
      x: renderer.framedGraphToViewport(data).x,
      size: renderer.scaleSize(data.size),
    };
    return roomOf({ left, edge: renderer.getDimensions().width, next });
  };
}

function graphOfScene(scene: Scene): MultiUndirectedGraph<NodeAttributes, EdgeAttributes> {
  const graph = new MultiUndirectedGraph<NodeAttributes, EdgeAttributes>();
  for (const node of scene.nodes) {
    const { x, y, size, label } = node;
    graph.addNode(node.key, { node, x, y, size, label, type: node.isPolicy ? 'square' : 'disc' });
  }
  for (const edge of scene.edges) graph.addEdge(edge.from, edge.to, { edge });
  return graph;
}

const paletteSettings = ({ palette }: State) => ({
  labelColor: { color: palette.text },
  labelFont: palette.font,
});

const settingsOf = (state: State, cell: number): Partial<ReturnType<Renderer['getSettings']>> => ({
  ...paletteSettings(state),
  allowInvalidContainer: true,
  defaultNodeType: 'disc',
  labelSize: LABEL_SIZE,
  labelRenderedSizeThreshold: 0,
  labelGridCellSize: cell,
  stagePadding: 0,
  minCameraRatio: 0.02,
  maxCameraRatio: 4,
  zIndex: true,
  nodeProgramClasses: { disc: FlatDiscProgram, square: FlatSquareProgram },
  nodeHoverProgramClasses: { disc: FlatDiscProgram, square: FlatSquareProgram },
  defaultEdgeType: 'line',
  edgeProgramClasses: { line: FlatLineProgram },
  nodeReducer: (key, attributes) => nodeLook(state, key, attributes),
  edgeReducer: (_, { edge }) => edgeLook(state, edge),
  defaultDrawNodeLabel: labelDrawing(state),
  defaultDrawNodeHover: hoverDrawing(state),
});

function nodeLook(
  { lit, palette, growth }: State,
  key: string,
  attributes: NodeAttributes,
): Partial<NodeDisplayData> {
  const { mark, size } = attributes.node;
  if (lit && !lit.nodes.has(key)) {
    return { ...attributes, color: palette.fadedNode, label: null, zIndex: 0 };
  }
  return {
    ...attributes,
    color: colorOf(attributes.node, palette),
    size: mark ? size * growth : size,
    forceLabel: lit !== undefined && lit.nodes.size <= MAX_FORCED_LABELS,
    highlighted: lit?.marked.has(key) === true,
    zIndex: 1,
  };
}

function edgeLook(
  { lit, palette }: State,
  { kind, edge, mark }: SceneEdge,
): Partial<EdgeDisplayData> {
  if (lit && !lit.edges.has(edge)) return { color: palette.fadedEdge, size: THIN, zIndex: 0 };
  if (mark) return { color: palette.marks[mark], size: THICK, zIndex: 2 };
  return { color: palette.edges[kind], size: lit ? THICK : THIN, zIndex: 1 };
}

const BOX_PADDING = 4;
/** From the edge of a node to its label. */
const GAP = 3;

/** Labels have the ground around their letters, since they lie on lines. They end before the next node. */
const labelDrawing =
  (state: State): Drawing =>
  (context, { x, y, size, label, node }, { labelSize, labelFont, labelWeight }) => {
    if (label === null || label === '') return;
    context.font = `${labelWeight} ${String(labelSize)}px ${labelFont}`;
    const left = x + size + GAP;
    const room = state.roomOf((node as SceneNode).key, left);
    const text = shortened(label, room, (part) => widthOf(context, part));
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = state.palette.ground;
    context.strokeText(text, left, y + labelSize / 3);
    context.fillStyle = state.palette.text;
    context.fillText(text, left, y + labelSize / 3);
  };

const widthOf = (context: CanvasRenderingContext2D, text: string): number =>
  context.measureText(text).width;

/**
 * The kind and the name of the node below the pointer, and of the selected one, on a ground of their own
 * within the picture.
 */
const hoverDrawing =
  (state: State): Drawing =>
  (context, { x, y, size, node }, { labelSize, labelFont, labelWeight }) => {
    const { ground, text } = state.palette;
    context.font = `${labelWeight} ${String(labelSize)}px ${labelFont}`;
    const edge = context.canvas.clientWidth - 1;
    const room = edge - 2 * BOX_PADDING;
    const label = shortened((node as SceneNode).fullLabel, room, (part) => widthOf(context, part));
    const width = widthOf(context, label) + 2 * BOX_PADDING;
    const height = labelSize + 2 * BOX_PADDING;
    const left = Math.max(Math.min(x + size + GAP - BOX_PADDING, edge - width), 1);
    context.strokeStyle = text;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, size + GAP, 0, 2 * Math.PI);
    context.stroke();
    context.fillStyle = ground;
    context.fillRect(left, y - height / 2, width, height);
    context.strokeRect(left, y - height / 2, width, height);
    context.fillStyle = text;
    context.fillText(label, left + BOX_PADDING, y + labelSize / 3);
  };

function listen(
  renderer: Renderer,
  container: HTMLElement,
  select: (key: string | undefined) => void,
): void {
  renderer.on('clickNode', ({ node }) => {
    select(node);
  });
  // Two nodes that are clicked soon after each other count as a double click on the second one.
  renderer.on('doubleClickNode', (click) => {
    click.preventSigmaDefault();
    select(click.node);
  });
  renderer.on('clickStage', () => {
    select(undefined);
  });
  renderer.on('enterNode', () => {
    container.style.cursor = 'pointer';
  });
  renderer.on('leaveNode', () => {
    container.style.cursor = '';
  });
}

/** The layers are drawn anew first: a browser empties them after it has shown them. */
function pngOf(renderer: Renderer, palette: Palette): Promise<Blob | undefined> {
  renderer.refresh();
  const canvas = drawLayers(renderer, palette.ground);
  return new Promise((resolve) => {
    canvas.toBlob((blob) => {
      resolve(blob ?? undefined);
    });
  });
}
