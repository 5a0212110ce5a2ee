import { texts } from '../../texts.js';
import { edgesOf, type MapGraph, type MapNode } from './map-graph.js';
import type { Look } from './map-search.js';

/** How many members of a node the look of the map is true of; `other`: it is not about such nodes. */
export const LEVELS = ['all', 'some', 'none', 'other'] as const;

export type Level = (typeof LEVELS)[number];

/** The property that colours the nodes: their kind by default. */
export type ColoredBy = Exclude<Look, 'kinds'> | undefined;

export function levelOf(graph: MapGraph, node: MapNode, look: ColoredBy): Level | undefined {
  if (look === undefined) return undefined;
  return look === 'online' ? levelBy(node.onlineCount, node.count) : postureOf(graph, node);
}

function levelBy(part: number | null | undefined, whole: number): Level {
  if (part === null || part === undefined) return 'other';
  if (part === 0) return 'none';
  return part === whole ? 'all' : 'some';
}

/** A class needs posture checks as far as the service policies of its members do. */
function postureOf(graph: MapGraph, node: MapNode): Level {
  if (node.checkedCount !== null) return levelBy(node.checkedCount, node.count);
  const policies = edgesOf(graph, node.key).flatMap(({ policyKey }) => {
    const policy = graph.nodes.get(policyKey);
    return policy && policy.checkedCount !== null ? [policy] : [];
  });
  if (policies.length === 0) return 'other';
  const levels = policies.map((policy) => levelBy(policy.checkedCount, policy.count));
  const [first = 'other'] = levels;
  return levels.every((level) => level === first) ? first : 'some';
}

/** In words; empty for nodes that the look is not about. */
export function wordsOfLevel(graph: MapGraph, node: MapNode, look: ColoredBy): string {
  const level = levelOf(graph, node, look);
  if (look === undefined || level === undefined || level === 'other') return '';
  if (look === 'online') return texts.map.online(node.onlineCount ?? 0, node.count);
  return texts.map.levels.posture[level];
}

/** The same for the labels of the picture, which have little room. */
export function signOfLevel(graph: MapGraph, node: MapNode, look: ColoredBy): string {
  const level = levelOf(graph, node, look);
  if (look === undefined || level === undefined || level === 'other') return '';
  if (look === 'online') return texts.map.onlineSign(node.onlineCount ?? 0, node.count);
  return texts.map.postureSigns[level];
}
