import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { wordsOf } from '../../description/names.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { PageHeading } from '../../parts/page-heading.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import type { Lit } from '../../parts/picture/scene.js';
import '../../parts/picture/map.css';
import { CircuitPanel } from './circuit-panel.js';
import { CircuitTable } from './circuit-table.js';
import { useCircuit, type CircuitState } from './circuits.js';
import { LinkTable } from './link-table.js';
import { PathPanel, pathOf, wayOfPath } from './path-panel.js';
import { RouterPanel } from './router-panel.js';
import { litByRouter, litByWay, type RouterScene, type Way } from './router-scene.js';
import { RouterTable } from './router-table.js';
import './traffic.css';
import { FilterTag, TrafficFilters } from './traffic-filters.js';
import { TrafficPicture } from './traffic-picture.js';
import {
  VIEWS,
  type ChangeSearch,
  type TrafficSearch,
  type View,
} from '../../addresses/traffic-search.js';
import { UsageView } from './usage-view.js';
import { useNetwork, usePath } from './use-network.js';
import { useTrafficRounds, type TrafficRounds } from './use-traffic-rounds.js';

const route = getRouteApi('/traffic');

/** Routers, links, circuits and their bytes, as they are now. */
export function TrafficPage() {
  const may = useMay();
  return (
    <div className="stack fill">
      <PageHeading text={texts.pages.traffic} />
      {may('Query', 'circuits') ? (
        <Content />
      ) : (
        <div className="notice">{texts.traffic.refused}</div>
      )}
    </div>
  );
}

interface ViewProps {
  readonly search: TrafficSearch;
  readonly change: ChangeSearch;
  readonly rounds: TrafficRounds;
  readonly circuit: CircuitState;
}

function Content() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const rounds = useTrafficRounds(search);
  const circuit = useCircuit(search.circuit, rounds.circuits);
  const change: ChangeSearch = (changed) => {
    void navigate({
      search: (before: TrafficSearch) => ({ ...before, ...changed }),
      replace: true,
    });
  };
  const views = VIEWS.filter((view) => view !== 'routers' || may('Query', 'routers'));
  const props: ViewProps = { search, change, rounds, circuit };
  return (
    <Tabs
      className="fill traffic"
      keepMounted={false}
      value={search.view ?? 'picture'}
      onChange={(next) => {
        const view = VIEWS.find((each) => each === next);
        change({ view: view === 'picture' ? undefined : view });
      }}
    >
      <Tabs.List aria-label={texts.traffic.views}>
        {views.map((view) => (
          <Tabs.Tab key={view} value={view}>
            {TITLES[view]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {views.map((view) => (
        <Tabs.Panel key={view} value={view} className="tab fill stack">
          {CONTENTS[view](props)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const TITLES: Readonly<Record<View, string>> = {
  picture: texts.traffic.picture,
  routers: wordsOf('routers'),
  links: wordsOf('links'),
  circuits: wordsOf('circuits'),
  usage: texts.traffic.usage,
};

const CONTENTS: Readonly<Record<View, (props: ViewProps) => ReactNode>> = {
  picture: (props) => <PictureView {...props} />,
  // Circuits are counted beside each router.
  routers: ({ rounds }) => (
    <div>
      <RouterTable round={rounds.circuits} />
    </div>
  ),
  links: ({ search, change, rounds }) => (
    <>
      <TrafficFilters ends={['router']} search={search} change={change} />
      <div>
        <LinkTable router={search.router} round={rounds.circuits} />
      </div>
    </>
  ),
  circuits: (props) => <CircuitsView {...props} />,
  usage: ({ search, change }) => (
    <>
      <TrafficFilters ends={['identity', 'service']} search={search} change={change} />
      <UsageView search={search} change={change} />
    </>
  ),
};

function PictureView({ search, change, rounds, circuit }: ViewProps) {
  const may = useMay();
  const pathAnswer = usePath(search, rounds.network);
  const path = pathOf(pathAnswer);
  const way = useMemo(() => path && wayOfPath(path), [path]);
  const chosen = wayOf(circuit, search, way);
  const { scene, isPart, failure } = useNetwork(rounds.network, chosen, search.router);
  const lit = useMemo(
    () => scene && litOf(scene, chosen, search.router),
    [scene, chosen, search.router],
  );
  const chosenRouter = search.circuit === undefined ? search.router : undefined;
  const close = (): void => {
    change({ circuit: undefined, router: undefined });
  };
  return (
    <div className="map">
      <div className="stack tight">
        <FailureNotice failure={failure} />
        {scene ? (
          <TrafficPicture
            scene={scene}
            isPart={isPart}
            lit={lit}
            select={(router) => {
              change({ router, circuit: undefined });
            }}
          />
        ) : (
          <div className="dim">{failure ? '' : texts.loading}</div>
        )}
      </div>
      <div className="map-panel stack">
        {search.circuit === undefined ? null : <CircuitPanel state={circuit} close={close} />}
        {chosenRouter === undefined || !may('Query', 'router') ? null : (
          <RouterPanel key={chosenRouter} id={chosenRouter} round={rounds.circuits} close={close} />
        )}
        {may('Query', 'routers') ? (
          <PathPanel search={search} change={change} answer={pathAnswer} />
        ) : null}
      </div>
    </div>
  );
}

/** The way that the picture shows: that of the chosen circuit, else the path that is asked for. */
function wayOf(
  { circuit }: CircuitState,
  search: TrafficSearch,
  path: Way | undefined,
): Way | undefined {
  if (search.circuit !== undefined) return circuit?.path;
  return search.router === undefined ? path : undefined;
}

function litOf(
  scene: RouterScene,
  way: Way | undefined,
  router: string | undefined,
): Lit | undefined {
  if (way) return litByWay(scene, way);
  return router === undefined ? undefined : litByRouter(scene, router);
}

function CircuitsView({ search, change, rounds, circuit }: ViewProps) {
  return (
    <>
      <TrafficFilters ends={['identity', 'service', 'router']} search={search} change={change} />
      {search.link === undefined ? null : (
        <FilterTag
          text={texts.traffic.only(wordsOf('Link'), search.link)}
          clear={() => {
            change({ link: undefined });
          }}
        />
      )}
      <div className={search.circuit === undefined ? '' : 'map'}>
        <div>
          <CircuitTable search={search} change={change} round={rounds.circuits} />
        </div>
        {search.circuit === undefined ? null : (
          <div className="map-panel">
            <CircuitPanel
              state={circuit}
              close={() => {
                change({ circuit: undefined });
              }}
            />
          </div>
        )}
      </div>
    </>
  );
}
