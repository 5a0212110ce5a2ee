import {
  EDGE_KINDS,
  LEVELS,
  LINK_KINDS,
  MAP_KINDS,
  MARKS,
  ROUTER_KINDS,
  type Level,
  type Mark,
  type SceneEdgeKind,
  type SceneNode,
  type SceneNodeKind,
} from './scene.js';

/** The colours of the picture, as the style sheet has them now. */
export interface Palette {
  readonly nodes: Readonly<Record<SceneNodeKind, string>>;
  readonly edges: Readonly<Record<SceneEdgeKind, string>>;
  readonly levels: Readonly<Record<Level, string>>;
  readonly marks: Readonly<Record<Mark, string>>;
  readonly fadedNode: string;
  readonly fadedEdge: string;
  readonly ground: string;
  readonly line: string;
  readonly text: string;
  readonly font: string;
}

/** The variables of the style sheet, which differ between dark and light. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const variable = (name: string): string => style.getPropertyValue(name).trim();
  return {
    nodes: Object.fromEntries(
      [...MAP_KINDS, ...ROUTER_KINDS].map((kind) => [kind, variable(variableOfKind(kind))]),
    ) as Record<SceneNodeKind, string>,
    edges: Object.fromEntries(
      [...EDGE_KINDS, ...LINK_KINDS].map((kind) => [kind, variable(variableOfEdge(kind))]),
    ) as Record<SceneEdgeKind, string>,
    levels: Object.fromEntries(
      LEVELS.map((level) => [level, variable(variableOfLevel(level))]),
    ) as Record<Level, string>,
    marks: Object.fromEntries(
      MARKS.map((mark) => [mark, variable(variableOfMark(mark))]),
    ) as Record<Mark, string>,
    fadedNode: variable('--map-faded-node'),
    fadedEdge: variable('--map-faded-edge'),
    ground: variable('--panel'),
    line: variable('--line'),
    text: variable('--mantine-color-text'),
    font: style.fontFamily,
  };
}

export const variableOfKind = (kind: SceneNodeKind): string => `--map-${kind}`;

export const variableOfEdge = (kind: SceneEdgeKind): string => `--map-edge-${kind}`;

export const variableOfMark = (mark: Mark): string => `--map-${mark}`;

export const variableOfLevel = (level: Level): string => `--map-level-${level}`;

/** The colour of a node that is shown clearly. */
export function colorOf(
  { kind, mark, level }: Pick<SceneNode, 'kind' | 'mark' | 'level'>,
  palette: Palette,
): string {
  if (mark) return palette.marks[mark];
  return level ? palette.levels[level] : palette.nodes[kind];
}
