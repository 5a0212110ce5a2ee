import { texts } from '../../texts.js';
import { edgesOf, type MapGraph, type MapNode } from './map-graph.js';
import type { Level } from '../../parts/picture/scene.js';
import type { Look } from '../../addresses/map-search.js';

/** The property that colours the nodes: their kind by default. */
export type ColoredBy = Exclude<Look, 'kinds'> | undefined;

export function levelOf(graph: MapGraph, node: MapNode, look: ColoredBy): Level | undefined {
  if (look === undefined) return undefined;
  if (look === 'online') return levelBy(node.onlineCount, node.count);
  return failingOf(node) > 0 ? 'fails' : needOf(graph, node);
}

function levelBy(part: number | null | undefined, whole: number): Level {
  if (part === null || part === undefined) return 'other';
  if (part === 0) return 'none';
  return part === whole ? 'all' : 'some';
}

const failingOf = ({ failingCount }: MapNode): number => failingCount ?? 0;

type Need = 'all' | 'some' | 'unchecked' | 'other';

/** A class needs posture checks as far as the service policies of its members do. */
function needOf(graph: MapGraph, node: MapNode): Need {
  if (node.checkedCount !== null) return needBy(node.checkedCount, node.count);
  const needs = edgesOf(graph, node.key).flatMap(({ policyKey }) => {
    const policy = graph.nodes.get(policyKey);
    return policy && policy.checkedCount !== null
      ? [needBy(policy.checkedCount, policy.count)]
      : [];
  });
  const [first = 'other'] = needs;
  return needs.every((need) => need === first) ? first : 'some';
}

function needBy(checked: number, count: number): Need {
  if (checked === 0) return 'unchecked';
  return checked === count ? 'all' : 'some';
}

/** In words; empty for nodes that the look is not about. */
export function wordsOfLevel(graph: MapGraph, node: MapNode, look: ColoredBy): string {
  if (look === 'posture') return wordsOfPosture(graph, node);
  const level = levelOf(graph, node, look);
  if (level === undefined || level === 'other') return '';
  return texts.map.online(node.onlineCount ?? 0, node.count);
}

/** Sessions are known only while the map is coloured by posture. */
function wordsOfPosture(graph: MapGraph, node: MapNode): string {
  const need = needOf(graph, node);
  if (need === 'other') return '';
  const words = texts.map.levels.posture[need];
  const judged = node.judgedCount ?? 0;
  return judged === 0 ? words : `${words}, ${texts.map.failing(failingOf(node), judged)}`;
}

/** The same for the labels of the picture, which have little room. */
export function signOfLevel(graph: MapGraph, node: MapNode, look: ColoredBy): string {
  const level = levelOf(graph, node, look);
  if (look === undefined || level === undefined || level === 'other') return '';
  if (look === 'online') return texts.map.onlineSign(node.onlineCount ?? 0, node.count);
  if (level === 'fails') return texts.map.failingSign(failingOf(node), node.judgedCount ?? 0);
  const need = needOf(graph, node);
  return need === 'other' ? '' : texts.map.postureSigns[need];
}
