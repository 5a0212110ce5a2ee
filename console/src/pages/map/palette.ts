import { LANES } from './lanes.js';
import type { MapKind } from './map-graph.js';
import { EDGE_KINDS, type EdgeKind } from './scene.js';

/** The colours of the picture, as the style sheet has them now. */
export interface Palette {
  readonly nodes: Readonly<Record<MapKind, string>>;
  readonly edges: Readonly<Record<EdgeKind, string>>;
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
      LANES.flat().map((kind) => [kind, variable(variableOfKind(kind))]),
    ) as Record<MapKind, string>,
    edges: Object.fromEntries(
      EDGE_KINDS.map((kind) => [kind, variable(variableOfEdge(kind))]),
    ) as Record<EdgeKind, string>,
    fadedNode: variable('--map-faded-node'),
    fadedEdge: variable('--map-faded-edge'),
    ground: variable('--panel'),
    line: variable('--line'),
    text: variable('--mantine-color-text'),
    font: style.fontFamily,
  };
}

export const variableOfKind = (kind: MapKind): string => `--map-${kind}`;

export const variableOfEdge = (kind: EdgeKind): string => `--map-edge-${kind}`;
