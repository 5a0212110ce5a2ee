import type { Lit } from '../../parts/picture/scene.js';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { AccessMapPlaces } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLinks, PolicyLinks } from '../../parts/entity-links.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { NearestMisses } from '../../parts/access/nearest-misses.js';
import {
  isPolicyWanted,
  type Explanation,
  type NamedPair,
  type Pair,
} from '../../parts/access/pair.js';
import { useExplanation } from '../../parts/access/use-explanation.js';
import { Verdict } from '../../parts/access/verdict.js';
import { ClosePanel } from './close-panel.js';
import type { MapGraph } from './map-graph.js';
import { commonRouters, litBetween, stopsOf, type Place } from './pair-paths.js';
import type { MapVariables } from './map-variables.js';

interface PairPanelProps {
  readonly graph: MapGraph;
  readonly pair: Pair;
  readonly variables: MapVariables;
  /** Grows when the map is read again. */
  readonly round: number;
  /** Lights the paths in the picture; undefined: none. */
  readonly light: (lit: Lit | undefined) => void;
  readonly close: () => void;
}

/** Lights every path between an identity and a service, and says what is missing where there is none. */
export function PairPanel(props: PairPanelProps) {
  const { pair, variables, close } = props;
  const { access, named, failure } = useExplanation(pair, variables.at);
  const { places, failure: placesFailure } = usePlaces(props, access);
  return (
    <Panel title={texts.map.pair} aside={<ClosePanel label={texts.map.closePaths} close={close} />}>
      <div className="stack">
        <FailureNotice failure={failure ?? placesFailure} />
        {access && named ? (
          <Answer access={access} pair={named} places={places} at={variables.at} />
        ) : null}
        {variables.changes ? <span className="dim">{texts.map.answerWithoutDraft}</span> : null}
        {access === undefined && !failure ? <div className="dim">{texts.loading}</div> : null}
      </div>
    </Panel>
  );
}

/** Finds the nodes of the paths, and lights them while the panel is there. */
function usePlaces(
  { graph, pair, variables, round, light }: PairPanelProps,
  access: Explanation | undefined,
) {
  const stops = useMemo(() => (access ? stopsOf(pair, access) : []), [pair, access]);
  const ids = useMemo(() => [...new Set(stops.map(({ id }) => id))], [stops]);
  const { data, failure, reload } = useAnswer(
    AccessMapPlaces,
    { ...variables, ids },
    { when: ids.length > 0 },
  );
  useEffect(() => {
    if (round > 0) reload();
  }, [round, reload]);
  const places = data?.accessMap?.places;
  useEffect(() => {
    light(places ? litBetween(graph, pair, stops, places) : undefined);
  }, [graph, pair, stops, places, light]);
  useEffect(
    () => () => {
      light(undefined);
    },
    [light],
  );
  return { places, failure };
}

interface AnswerProps {
  readonly access: Explanation;
  readonly pair: NamedPair;
  /** Undefined until they are known. */
  readonly places: readonly Place[] | undefined;
  readonly at: string | undefined;
}

function Answer({ access, pair, places, at }: AnswerProps) {
  const { identityId, serviceId, type } = pair;
  return (
    <>
      <Verdict access={access} pair={pair} at={at} />
      {places ? <Outside pair={pair} places={places} /> : null}
      <Paths access={access} />
      <Link to="/ask" search={{ identity: identityId, service: serviceId, type, at }}>
        {texts.map.explain}
      </Link>
      {isPolicyWanted(access) ? (
        <NearestMisses misses={access.nearestMisses} pair={pair} isPast={at !== undefined} />
      ) : null}
    </>
  );
}

/** The conditions of the map may leave out an end. */
function Outside({ pair, places }: { pair: NamedPair; places: readonly Place[] }) {
  const isOnMap = (wanted: Place['kind'], id: string): boolean =>
    places.some(({ kind, entityId }) => kind === wanted && entityId === id);
  const outside = [
    ...(isOnMap('identity', pair.identityId) ? [] : [pair.identityName]),
    ...(isOnMap('service', pair.serviceId) ? [] : [pair.serviceName]),
  ];
  return outside.map((name) => (
    <div key={name} className="notice">
      {texts.map.notOnMap(name)}
    </div>
  ));
}

function Paths({ access }: { access: Explanation }) {
  const routers = commonRouters(access);
  return (
    <>
      {access.paths.length === 0 ? null : (
        <div className="map-paths">
          {texts.map.pathsBy(access.paths.length)} <PolicyLinks policies={access.paths} />
        </div>
      )}
      {routers.length === 0 ? null : (
        <div className="map-paths">
          {texts.map.pathsOver(routers.length)}{' '}
          <EntityLinks
            type="EdgeRouter"
            entities={routers.slice(0, MAX_ROUTERS).map(({ routerId, routerName }) => ({
              id: routerId,
              name: routerName,
            }))}
          />
          {routers.length > MAX_ROUTERS ? (
            <> {texts.ask.moreRouters(routers.length - MAX_ROUTERS)}</>
          ) : null}
        </div>
      )}
    </>
  );
}

const MAX_ROUTERS = 20;
