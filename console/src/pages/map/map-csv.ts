import { csvOf, harmless } from '../../parts/save-file.js';
import type { AccessMap, MapGraph } from './map-graph.js';
import { labelOf } from './map-words.js';

/**
 * The nodes of a map as CSV; names of members stand in one cell with semicolons between. Numbers of
 * sessions and of who is online are there while the colours of the map tell them.
 */
export const nodesCsv = ({ nodes }: AccessMap): Blob =>
  csvOf(
    [
      'key',
      'kind',
      'count',
      'mergedCount',
      'roleAttribute',
      'type',
      'identityCount',
      'serviceCount',
      'edgeRouterCount',
      'isEmpty',
      'checkedCount',
      'judgedCount',
      'failingCount',
      'onlineCount',
      'change',
      'sampleNames',
    ],
    nodes.map((node) => [
      node.key,
      node.kind,
      node.count,
      node.mergedCount,
      harmless(node.roleAttribute),
      node.type,
      node.identityCount,
      node.serviceCount,
      node.edgeRouterCount,
      node.isEmpty,
      node.checkedCount,
      node.judgedCount ?? null,
      node.failingCount ?? null,
      node.onlineCount ?? null,
      node.change,
      harmless(node.sampleNames.join('; ')),
    ]),
  );

export const edgesCsv = ({ map, nodes }: MapGraph): Blob => {
  const nameOf = (key: string): string | null => {
    const node = nodes.get(key);
    return node ? harmless(labelOf(node)) : null;
  };
  return csvOf(
    ['classKey', 'class', 'policyKey', 'policy', 'side', 'type', 'count', 'isComplete', 'change'],
    map.edges.map(({ classKey, policyKey, side, type, count, isComplete, change }) => [
      classKey,
      nameOf(classKey),
      policyKey,
      nameOf(policyKey),
      side,
      type,
      count,
      isComplete,
      change,
    ]),
  );
};
