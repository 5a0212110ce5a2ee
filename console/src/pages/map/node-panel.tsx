import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { wordsOf } from '../../description/names.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { ClosePanel } from './close-panel.js';
import { wordsOfLevel, type ColoredBy } from './levels.js';
import {
  edgesOf,
  isPolicy,
  otherEnd,
  type MapEdge,
  type MapGraph,
  type MapNode,
} from './map-graph.js';
import { labelOf, oneOfKind, sidesOf } from './map-words.js';
import { Members } from './members.js';
import { NodeButton } from './node-button.js';
import { markOf } from './map-scene.js';
import { endOf, endOfKind, type Ends } from './use-ends.js';
import type { MapVariables } from './map-variables.js';

interface NodePanelProps {
  readonly graph: MapGraph;
  /** The key of the selected node. */
  readonly selected: string | undefined;
  readonly select: (key: string | undefined) => void;
  readonly variables: MapVariables;
  readonly look: ColoredBy;
  readonly round: number;
  readonly ends: Ends;
}

/** What the selected node is, its members, and what it is joined with, in words. */
export function NodePanel(props: NodePanelProps) {
  const { graph, selected, select, variables, look, round, ends } = props;
  const node = selected === undefined ? undefined : graph.nodes.get(selected);
  return (
    <div className="map-panel">
      <span className="hidden" role="status">
        {node ? texts.map.isSelected(labelOf(node)) : ''}
      </span>
      <Panel
        title={node ? labelOf(node) : texts.map.one}
        aside={
          selected === undefined ? null : (
            <ClosePanel
              label={texts.map.close}
              close={() => {
                select(undefined);
              }}
            />
          )
        }
      >
        {node ? (
          <div className="stack">
            <Facts graph={graph} node={node} />
            <PathsOfClass node={node} ends={ends} />
            <h3>{texts.map.members}</h3>
            <Members
              nodeKey={node.key}
              variables={variables}
              hasPosture={look === 'posture' && node.kind === 'identity'}
              round={round}
              choose={chooserOf(node, ends)}
            />
            <h3>{texts.map.joinedWith}</h3>
            <Joined graph={graph} node={node} select={select} />
          </div>
        ) : (
          <span className="dim">
            {selected === undefined ? texts.map.nothingSelected : texts.map.gone}
          </span>
        )}
      </Panel>
    </div>
  );
}

/** Members of merged classes can be ends of paths, too. */
function chooserOf({ kind }: MapNode, { choose }: Ends): ((id: string) => void) | undefined {
  const end = endOfKind(kind);
  if (!end) return undefined;
  return (id) => {
    choose(end, id);
  };
}

function PathsOfClass({ node, ends }: { node: MapNode; ends: Ends }) {
  const end = endOf(node);
  if (!end) return null;
  return (
    <>
      <FailureNotice failure={ends.failure} />
      <div>
        <Button
          variant="default"
          onClick={() => {
            ends.chooseClass(node);
          }}
        >
          {texts.map.endOfPaths[end]}
        </Button>
      </div>
    </>
  );
}

function Facts({ graph, node }: { graph: MapGraph; node: MapNode }) {
  const { kind, count, type, roleAttribute, sampleNames } = node;
  const hasOnline = typeof node.onlineCount === 'number';
  const rows: readonly (readonly [string, ReactNode])[] = [
    [texts.map.kind, oneOfKind(kind)],
    [texts.map.count, count.toLocaleString()],
    [texts.map.samples, sampleNames.join(', ')],
    [texts.map.type, type === null ? null : texts.map.lenses[type]],
    [texts.map.selects, sidesOf(node)],
    [texts.map.roleAttribute, roleAttribute],
    [texts.map.looks.posture, wordsOfLevel(graph, node, 'posture')],
    [texts.map.looks.online, hasOnline ? wordsOfLevel(graph, node, 'online') : ''],
  ];
  return (
    <>
      <dl className="attributes">
        {rows
          .filter(([, value]) => value !== null && value !== '')
          .map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {remarksOf(node).map((remark) => (
        <div key={remark} className={node.isEmpty ? 'notice warn' : 'dim'}>
          {remark}
        </div>
      ))}
    </>
  );
}

function remarksOf(node: MapNode): readonly string[] {
  const { isMerged, mergedCount, isEmpty, count } = node;
  const merged = isPolicy(node) ? texts.map.isMergedPolicy : texts.map.isMergedClass;
  return [
    ...(isMerged ? [merged(mergedCount)] : []),
    ...(!isMerged && !isPolicy(node) && count > 1 ? [texts.map.isClass] : []),
    ...(isEmpty ? [texts.map.isEmpty] : []),
  ];
}

interface JoinedProps {
  readonly graph: MapGraph;
  readonly node: MapNode;
  readonly select: (key: string) => void;
}

function Joined({ graph, node, select }: JoinedProps) {
  const edges = edgesOf(graph, node.key);
  if (edges.length === 0) return <span className="dim">{texts.map.joinedWithNothing}</span>;
  return (
    <ul className="map-joined" tabIndex={0} aria-label={texts.map.joinedWith}>
      {edges.map((edge) => {
        const other = graph.nodes.get(otherEnd(edge, node.key));
        return (
          <li
            key={`${edge.policyKey} ${edge.classKey} ${edge.side} ${edge.type ?? ''} ${edge.change ?? ''}`}
          >
            <NodeButton node={other} select={select} />{' '}
            {isPolicy(node) ? wordsOfClass(edge, other) : wordsOfPolicy(edge, node, other)}
            <ChangeTag edge={edge} />
          </li>
        );
      })}
    </ul>
  );
}

function ChangeTag({ edge }: { edge: MapEdge }) {
  const mark = markOf(edge);
  if (!mark) return null;
  return (
    <>
      {' '}
      <span className={`tag ${mark === 'gained' ? 'good' : 'bad'}`}>{texts.map.marks[mark]}</span>
    </>
  );
}

/** Of a class: what the policy selects of it, and for what. */
function wordsOfPolicy(edge: MapEdge, node: MapNode, policy: MapNode | undefined): string {
  const others = policy ? sidesOf({ ...policy, [COUNT_OF_SIDE[edge.side]]: null }) : '';
  return texts.map.policySelects({
    count: edge.count,
    of: node.count,
    type: edge.type,
    isOfServices: edge.side === 'services',
    others,
    isComplete: edge.isComplete,
  });
}

/** Of a policy: what it selects of the class. */
const wordsOfClass = (edge: MapEdge, other: MapNode | undefined): string =>
  texts.map.classSelected({
    count: edge.count,
    of: other?.count ?? edge.count,
    side: wordsOf(edge.side),
    isComplete: edge.isComplete,
  });

const COUNT_OF_SIDE = {
  identities: 'identityCount',
  services: 'serviceCount',
  edgeRouters: 'edgeRouterCount',
} as const;
