import { Button, Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useRef, useState, type RefObject } from 'react';
import { FailureNotice } from '../../parts/failure-notice.js';
import { PageHeading } from '../../parts/page-heading.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import type { Picture } from '../../parts/picture/draw.js';
import { ExportMenu } from './export-menu.js';
import { Legend } from './legend.js';
import '../../parts/picture/map.css';
import { MapControls, moreNodes } from './map-controls.js';
import { litBy, litByChange, type AccessMap, type MapEdge, type MapGraph } from './map-graph.js';
import { DEFAULT_NODES, VIEWS, type MapSearch } from '../../addresses/map-search.js';
import { EdgeTable, NodeTable } from './map-tables.js';
import { NodePanel } from './node-panel.js';
import { NodeSearch } from './node-search.js';
import { PairPanel } from './pair-panel.js';
import { MapPicture } from '../../parts/picture/picture.js';
import { marksOf, type Lit, type Scene } from '../../parts/picture/scene.js';
import { TimeSlider } from './time-slider.js';
import { endOf, missingEnd, useEnds, type Ends } from './use-ends.js';
import { useGraph, useMap, useMapVariables } from './use-map.js';
import { useScene } from './use-scene.js';
import { pairOf, type MapVariables } from './map-variables.js';

const route = getRouteApi('/map');

type Change = (changed: MapSearch) => void;

/** The whole network in one picture: who is in which policies, and what these join. */
export function MapPage() {
  const may = useMay();
  return (
    <div className="stack fill">
      {may('Query', 'accessMap') ? (
        <Content />
      ) : (
        <>
          <PageHeading text={texts.pages.map} />
          <div className="notice">{texts.map.refused}</div>
        </>
      )}
    </div>
  );
}

function Content() {
  const may = useMay();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change: Change = (changed) => {
    void navigate({ search: (before: MapSearch) => ({ ...before, ...changed }), replace: true });
  };
  const variables = useMapVariables(search);
  const { data, failure, isLoading, reload, round, isOld } = useMap(variables, search.look);
  const graph = useGraph(data);
  const [litPaths, lightPaths] = useState<Lit>();
  const litNode = useMemo(() => graph && litBy(graph, search.node), [graph, search.node]);
  const litChanges = useMemo(() => graph && litByChange(graph), [graph]);
  const lit = litNode ?? litPaths ?? litChanges;
  const { scene, isLaying } = useScene(graph, search, variables, round);
  const picture = useRef<Picture>(undefined);
  return (
    <>
      <Head {...{ graph, scene, lit, picture, search, variables, change, isLoading }} />
      <MapControls search={search} change={change} />
      <FailureNotice failure={failure} />
      {isOld ? <ChangedNotice reload={reload} /> : null}
      {search.time === true && may('Query', 'changes') ? (
        <TimeSlider
          search={search}
          change={change}
          isLoading={isLoading || isLaying}
          isBroken={failure !== undefined}
          round={round}
        />
      ) : null}
      {graph ? (
        <Views {...{ graph, scene, lit, lightPaths, picture, search, variables, change, round }} />
      ) : null}
    </>
  );
}

interface HeadProps {
  readonly graph: MapGraph | undefined;
  readonly scene: Scene | undefined;
  readonly lit: Lit | undefined;
  readonly picture: RefObject<Picture | undefined>;
  readonly search: MapSearch;
  readonly variables: MapVariables;
  readonly change: Change;
  readonly isLoading: boolean;
}

function Head(props: HeadProps) {
  const { graph, scene, lit, picture, search, variables, change, isLoading } = props;
  return (
    <div className="head">
      <PageHeading className="grow" text={texts.pages.map} />
      <span className="dim" role="status">
        {isLoading ? texts.loading : ''}
      </span>
      {graph ? (
        <>
          <NodeSearch
            variables={variables}
            goTo={(node) => {
              change({ node });
              picture.current?.goTo(node);
            }}
          />
          <ExportMenu
            graph={graph}
            scene={scene}
            lit={lit}
            picture={picture}
            isPicture={search.view === undefined}
          />
        </>
      ) : null}
    </div>
  );
}

function ChangedNotice({ reload }: { reload: () => void }) {
  return (
    <div className="notice row" role="status">
      {texts.map.changed}
      <Button variant="default" onClick={reload}>
        {texts.map.readAgain}
      </Button>
    </div>
  );
}

interface ViewsProps {
  readonly graph: MapGraph;
  readonly scene: Scene | undefined;
  readonly lit: Lit | undefined;
  readonly lightPaths: (lit: Lit | undefined) => void;
  readonly picture: RefObject<Picture | undefined>;
  readonly search: MapSearch;
  readonly variables: MapVariables;
  readonly change: Change;
  readonly round: number;
}

/** The map with what is to be said of it. */
function Views(props: ViewsProps) {
  const { map } = props.graph;
  return (
    <>
      <MergedNotice map={map} search={props.search} change={props.change} />
      {props.variables.changes ? <DraftNotice map={map} /> : null}
      {map.identityCount + map.serviceCount === 0 ? (
        <div className="notice">{texts.map.empty}</div>
      ) : null}
      {map.nodes.length === 0 ? null : <TabsAndPanel {...props} />}
    </>
  );
}

interface MergedNoticeProps {
  readonly map: AccessMap;
  readonly search: MapSearch;
  readonly change: Change;
}

function MergedNotice({ map, search, change }: MergedNoticeProps) {
  if (!map.isMerged) return null;
  const most = search.nodes ?? DEFAULT_NODES;
  const more = moreNodes(most);
  return (
    <div className="notice stack tight">
      <div>{texts.map.merged(most)}</div>
      {more === undefined ? null : (
        <div>
          <Button
            variant="default"
            onClick={() => {
              change({ nodes: more === DEFAULT_NODES ? undefined : more });
            }}
          >
            {texts.map.moreNodes(more)}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Tells in words how the draft changes this map. */
function DraftNotice({ map: { edges } }: { map: AccessMap }) {
  const countOf = (wanted: MapEdge['change']): number =>
    edges.filter(({ change }) => change === wanted).length;
  return (
    <div className="notice" role="status">
      {texts.map.draftEffect(countOf('GAINED'), countOf('LOST'))}
    </div>
  );
}

function TabsAndPanel(props: ViewsProps) {
  const { graph, scene, lit, picture, search, variables, change } = props;
  const ends = useEnds(search, variables, change);
  const select = (key: string | undefined): void => {
    change({ node: key });
    const node = key === undefined ? undefined : graph.nodes.get(key);
    const missing = missingEnd(search);
    if (node && missing && endOf(node) === missing) ends.chooseClass(node);
  };
  return (
    <div className="map">
      <Tabs
        keepMounted={false}
        value={search.view ?? 'picture'}
        onChange={(next) => {
          const view = VIEWS.find((each) => each === next);
          change({ view: view === 'picture' ? undefined : view });
        }}
      >
        <Tabs.List aria-label={texts.map.views}>
          {VIEWS.map((view) => (
            <Tabs.Tab key={view} value={view}>
              {texts.map[view]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="picture" className="tab stack tight">
          <Legend
            map={graph.map}
            marks={scene ? marksOf(scene) : []}
            look={search.look}
            isStep={scene?.isStep === true}
          />
          {scene ? (
            <MapPicture
              scene={scene}
              label={texts.map.describe(scene.nodes.length, scene.edges.length)}
              lit={lit}
              select={select}
              picture={picture}
            />
          ) : (
            <div className="dim">{texts.loading}</div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="nodes" className="tab">
          <NodeTable graph={graph} look={search.look} select={select} />
        </Tabs.Panel>
        <Tabs.Panel value="edges" className="tab">
          <EdgeTable graph={graph} select={select} />
        </Tabs.Panel>
      </Tabs>
      <Panels {...props} select={select} ends={ends} />
    </div>
  );
}

interface PanelsProps extends ViewsProps {
  readonly select: (key: string | undefined) => void;
  readonly ends: Ends;
}

/** The words beside the picture: about the paths, and about the selected node. */
function Panels(props: PanelsProps) {
  const { graph, search, variables, change, round, lightPaths, select, ends } = props;
  const { identity, service, lens } = search;
  const pair = useMemo(() => pairOf({ identity, service, lens }), [identity, service, lens]);
  const missing = missingEnd(search);
  return (
    <div className="stack">
      {pair ? (
        <PairPanel
          key={JSON.stringify([pair, variables])}
          graph={graph}
          pair={pair}
          variables={variables}
          round={round}
          light={lightPaths}
          close={() => {
            change({ identity: undefined, service: undefined });
          }}
        />
      ) : null}
      {missing ? <div className="notice">{texts.map.chooseOther[missing]}</div> : null}
      <NodePanel
        graph={graph}
        selected={search.node}
        select={select}
        variables={variables}
        look={search.look}
        round={round}
        ends={ends}
      />
    </div>
  );
}
