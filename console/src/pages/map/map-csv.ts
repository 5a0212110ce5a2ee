import type { AccessMap, MapGraph } from './map-graph.js';
import { labelOf } from './map-words.js';

type Cell = string | number | boolean | null;

/** The nodes of a map as CSV; names of members stand in one cell with semicolons between. */
export const nodesCsv = ({ nodes }: AccessMap): string =>
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
      harmless(node.sampleNames.join('; ')),
    ]),
  );

export const edgesCsv = ({ map, nodes }: MapGraph): string => {
  const nameOf = (key: string): string | null => {
    const node = nodes.get(key);
    return node ? harmless(labelOf(node)) : null;
  };
  return csvOf(
    ['classKey', 'class', 'policyKey', 'policy', 'side', 'type', 'count', 'isComplete'],
    map.edges.map(({ classKey, policyKey, side, type, count, isComplete }) => [
      classKey,
      nameOf(classKey),
      policyKey,
      nameOf(policyKey),
      side,
      type,
      count,
      isComplete,
    ]),
  );
};

/** Programs for tables take a name that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const harmless = (name: string | null): string | null =>
  name !== null && FORMULA.test(name) ? `'${name}` : name;

/** RFC 4180. */
const csvOf = (heads: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [heads, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');

function cellText(cell: Cell): string {
  const text = cell === null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
