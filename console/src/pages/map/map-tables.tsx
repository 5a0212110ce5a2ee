import { wordsOf } from '../../description/names.js';
import type { Rows } from '../../graph/use-rows.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { wordsOfLevel, type ColoredBy } from './levels.js';
import type { MapEdge, MapGraph, MapNode } from './map-graph.js';
import { oneOfKind, sidesOf } from './map-words.js';
import { NodeButton } from './node-button.js';
import { markOf } from './map-scene.js';

interface MapTableProps {
  readonly graph: MapGraph;
  readonly select: (key: string) => void;
}

/** The nodes of the map; each can be selected. */
export function NodeTable({ graph, look, select }: MapTableProps & { readonly look: ColoredBy }) {
  return (
    <LongTable
      label={texts.map.nodes}
      columns={[...nodeColumns(graph, select), ...levelColumn(graph, look), ...changeColumn(graph)]}
      rows={rowsOf(graph.map.nodes)}
    />
  );
}

/** The edges of the map, by the nodes at their ends. */
export function EdgeTable({ graph, select }: MapTableProps) {
  return (
    <LongTable
      label={texts.map.edges}
      columns={[...edgeColumns(graph, select), ...changeColumn(graph)]}
      rows={rowsOf(graph.map.edges)}
    />
  );
}

/** Rows that are all at hand. */
const rowsOf = <Row,>(rows: readonly Row[]): Rows<Row> => ({
  key: '',
  total: rows.length,
  failure: undefined,
  isLoading: false,
  rowAt: (index) => rows[index],
  show: () => undefined,
  reload: () => undefined,
});

/** The meaning of the colours of the picture. */
function levelColumn(graph: MapGraph, look: ColoredBy): readonly Column<MapNode>[] {
  if (look === undefined) return [];
  return [
    {
      name: 'look',
      title: texts.map.looks[look],
      width: '12rem',
      show: (node) => wordsOfLevel(graph, node, look) || texts.none,
    },
  ];
}

/** Where the map is one with the draft. */
function changeColumn({ map }: MapGraph): readonly Column<MapNode | MapEdge>[] {
  if (map.nodes.every(({ change }) => change === null)) return [];
  return [
    {
      name: 'change',
      title: texts.map.change,
      width: '11rem',
      show: (part) => {
        const mark = markOf(part);
        return mark ? texts.map.marks[mark] : texts.none;
      },
    },
  ];
}

const numberOf = (value: number) => <span className="number">{value.toLocaleString()}</span>;

const accessOf = (type: MapNode['type']): string =>
  type === null ? texts.none : texts.map.lenses[type];

const nodeColumns = (
  { edges }: MapGraph,
  select: (key: string) => void,
): readonly Column<MapNode>[] => [
  {
    name: 'name',
    title: texts.map.name,
    width: 'minmax(12rem, 2fr)',
    show: (node) => <NodeButton node={node} select={select} />,
  },
  {
    name: 'kind',
    title: texts.map.kind,
    width: 'minmax(11rem, 1fr)',
    show: ({ kind }) => oneOfKind(kind),
  },
  {
    name: 'count',
    title: texts.map.count,
    width: '6rem',
    show: ({ count }) => numberOf(count),
  },
  {
    name: 'type',
    title: texts.map.type,
    width: '5rem',
    show: ({ type }) => accessOf(type),
  },
  {
    name: 'selects',
    title: texts.map.selects,
    width: 'minmax(13rem, 1.5fr)',
    show: (node) =>
      node.isEmpty ? (
        <>
          {sidesOf(node)} <span className="tag warn">{texts.map.emptySide}</span>
        </>
      ) : (
        sidesOf(node)
      ),
  },
  {
    name: 'connections',
    title: texts.map.connections,
    width: '11rem',
    show: ({ key }) => numberOf(edges.get(key)?.length ?? 0),
  },
  {
    name: 'merged',
    title: texts.map.mergedCount,
    width: '6rem',
    show: ({ isMerged, mergedCount }) => (isMerged ? numberOf(mergedCount) : texts.none),
  },
];

const edgeColumns = (
  { nodes }: MapGraph,
  select: (key: string) => void,
): readonly Column<MapEdge>[] => [
  {
    name: 'policy',
    title: texts.map.policy,
    width: 'minmax(11rem, 2fr)',
    show: ({ policyKey }) => <NodeButton node={nodes.get(policyKey)} select={select} />,
  },
  {
    name: 'type',
    title: texts.map.type,
    width: '5rem',
    show: ({ type }) => accessOf(type),
  },
  {
    name: 'side',
    title: texts.map.side,
    width: '8rem',
    show: ({ side }) => wordsOf(side),
  },
  {
    name: 'class',
    title: texts.map.class,
    width: 'minmax(11rem, 2fr)',
    show: ({ classKey }) => <NodeButton node={nodes.get(classKey)} select={select} />,
  },
  {
    name: 'count',
    title: texts.map.edgeCount,
    width: '8rem',
    show: ({ classKey, count }) => (
      <span className="number">{texts.map.partOf(count, nodes.get(classKey)?.count ?? count)}</span>
    ),
  },
  {
    name: 'isComplete',
    title: texts.map.isComplete,
    width: '7rem',
    show: ({ isComplete }) => (isComplete ? texts.yes : texts.no),
  },
];
