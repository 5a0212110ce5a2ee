import type { Sigma } from 'sigma';
import type { SceneEdge, SceneNode } from './scene.js';

export interface NodeAttributes {
  [name: string]: unknown;
  readonly node: SceneNode;
}

export interface EdgeAttributes {
  [name: string]: unknown;
  readonly edge: SceneEdge;
}

export type Renderer = Sigma<NodeAttributes, EdgeAttributes>;
