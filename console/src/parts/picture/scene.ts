import type { Layout } from '../../addresses/map-search.js';
import type { ModelType } from '../../emitted/operations.js';

/** Kinds of nodes of the map of access, in the order of its lanes. */
export const MAP_KINDS: readonly ModelType[] = [
  'identity',
  'servicePolicy',
  'service',
  'serviceEdgeRouterPolicy',
  'edgeRouterPolicy',
  'edgeRouter',
];

/** The meaning of an edge: the kind of access, or some members and some policies only (`part`). */
export const EDGE_KINDS = ['Dial', 'Bind', 'routers', 'part'] as const;

export type EdgeKind = (typeof EDGE_KINDS)[number];

/** Kinds of nodes and edges of other pictures: routers by their state, and the links between them. */
export const ROUTER_KINDS = ['routerOnline', 'routerOffline', 'routerDisabled'] as const;
export const LINK_KINDS = ['link', 'linkDown'] as const;

export type SceneNodeKind = ModelType | (typeof ROUTER_KINDS)[number];
export type SceneEdgeKind = EdgeKind | (typeof LINK_KINDS)[number];

/** Gained: new with this step or with the draft. Lost: gone with the draft. */
export const MARKS = ['gained', 'lost'] as const;

export type Mark = (typeof MARKS)[number];

/**
 * The result of the look of the map for a node: the part of its members that it is true of, failing
 * posture checks, or no checks; `other`: it is not about such nodes.
 */
export const LEVELS = ['fails', 'all', 'some', 'none', 'unchecked', 'other'] as const;

export type Level = (typeof LEVELS)[number];

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
  readonly mark: Mark | undefined;
  /** The level that the colour tells; undefined: the colour tells the kind. */
  readonly level: Level | undefined;
}

export interface SceneEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: SceneEdgeKind;
  /** Its meaning. */
  readonly edge: object;
  readonly mark: Mark | undefined;
}

/** A drawing without colours: the picture and the file of it have the same places. */
export interface Scene {
  readonly layout: Layout;
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly SceneEdge[];
  /** Whether it is one of several times, which follow each other at the same places. */
  readonly isStep: boolean;
}

/** The nodes and edges that are shown clearly, while the rest is pale. */
export interface Lit {
  /** The keys of what this is about: the selected node, or both ends of paths. */
  readonly marked: ReadonlySet<string>;
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<object>;
}

/** The marks that a scene has. */
export const marksOf = ({ nodes, edges }: Scene): readonly Mark[] =>
  MARKS.filter((wanted) => [...nodes, ...edges].some(({ mark }) => mark === wanted));
