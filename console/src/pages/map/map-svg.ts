import { neighboursOf, roomOf, shortened } from '../../parts/picture/label-room.js';
import { colorOf, type Palette } from '../../parts/picture/palette.js';
import type { Lit, Scene, SceneEdge, SceneNode } from '../../parts/picture/scene.js';

interface SvgOptions {
  readonly scene: Scene;
  readonly palette: Palette;
  readonly lit: Lit | undefined;
  readonly title: string;
}

const MARGIN = 30;
const ROOM_FOR_LABELS = 160;
const FONT_SIZE = 11;
/** From the edge of a node to its label. */
const GAP = 3;
/** A square with the area of the disc of the same size. */
const HALF_SIDE = 0.886;

/**
 * Writes the picture with all labels as a file of its own; what is pale on the page is pale in it. The
 * title of a node has the whole of its label.
 */
export function svgOf({ scene, palette, lit, title }: SvgOptions): string {
  const [width, height] = [scene.width + 2 * MARGIN + ROOM_FOR_LABELS, scene.height + 2 * MARGIN];
  const nodes = new Map(scene.nodes.map((node) => [node.key, node]));
  // What is lit stands before the rest.
  const edges = inOrder(scene.edges, ({ edge }) => lit?.edges.has(edge) === true);
  const ordered = inOrder(scene.nodes, ({ key }) => lit?.nodes.has(key) === true);
  const shortLabel = labelsWithin(scene, nodes, palette.font, width);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${num(width)} ${num(height)}" font-family="${escaped(palette.font)}" font-size="${num(FONT_SIZE)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="${palette.ground}"/>`,
    ...edges.map((edge) => edgeText(scene, edge, nodes, palette, lit)),
    ...ordered.map((node) => nodeText(scene, node, palette, lit, shortLabel)),
    '</svg>',
    '',
  ].join('\n');
}

const inOrder = <Each>(items: readonly Each[], isLater: (item: Each) => boolean): Each[] => [
  ...items.filter((item) => !isLater(item)),
  ...items.filter(isLater),
];

/** A scene counts its heights from below, a file from above. */
const placeOf = ({ height }: Scene, { x, y }: SceneNode): readonly [left: number, top: number] => [
  x + MARGIN,
  height - y + MARGIN,
];

function edgeText(
  scene: Scene,
  { from, to, kind, edge, mark }: SceneEdge,
  nodes: ReadonlyMap<string, SceneNode>,
  palette: Palette,
  lit: Lit | undefined,
): string {
  const [a, b] = [nodes.get(from), nodes.get(to)];
  if (!a || !b) return '';
  const clear = mark ? palette.marks[mark] : palette.edges[kind];
  const color = lit && !lit.edges.has(edge) ? palette.fadedEdge : clear;
  const [x1, y1] = placeOf(scene, a);
  const [x2, y2] = placeOf(scene, b);
  return `<line x1="${num(x1)}" y1="${num(y1)}" x2="${num(x2)}" y2="${num(y2)}" stroke="${color}"/>`;
}

type ShortLabel = (node: SceneNode) => string;

/** Labels end before the next node and before the right edge, as in the picture. */
function labelsWithin(
  scene: Scene,
  nodes: ReadonlyMap<string, SceneNode>,
  font: string,
  edge: number,
): ShortLabel {
  const neighbours = neighboursOf(scene.nodes);
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = `${num(FONT_SIZE)}px ${font}`;
  const widthOf = (text: string): number =>
    context?.measureText(text).width ?? text.length * FONT_SIZE;
  return (node) => {
    const neighbour = nodes.get(neighbours.get(node.key) ?? '');
    const next = neighbour && { x: placeOf(scene, neighbour)[0], size: neighbour.size };
    const left = placeOf(scene, node)[0] + node.size + GAP;
    return shortened(node.label, roomOf({ left, edge, next }), widthOf);
  };
}

function nodeText(
  scene: Scene,
  node: SceneNode,
  palette: Palette,
  lit: Lit | undefined,
  shortLabel: ShortLabel,
): string {
  const { key, label, size } = node;
  const isPale = lit !== undefined && !lit.nodes.has(key);
  const fill = isPale ? palette.fadedNode : colorOf(node, palette);
  const [left, top] = placeOf(scene, node);
  const half = size * HALF_SIDE;
  const form = node.isPolicy
    ? `<rect x="${num(left - half)}" y="${num(top - half)}" width="${num(2 * half)}" height="${num(2 * half)}" fill="${fill}"/>`
    : `<circle cx="${num(left)}" cy="${num(top)}" r="${num(size)}" fill="${fill}"/>`;
  const text = isPale
    ? ''
    : `<text x="${num(left + size + GAP)}" y="${num(top + FONT_SIZE / 3)}" fill="${palette.text}" stroke="${palette.ground}" stroke-width="3" stroke-linejoin="round" paint-order="stroke">${escaped(shortLabel(node))}</text>`;
  return `<g><title>${escaped(label)}</title>${form}${text}</g>`;
}

const num = (value: number): string => String(Math.round(value * 10) / 10);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML allows no control characters, also not as entities. */
const escaped = (text: string): string =>
  text
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
