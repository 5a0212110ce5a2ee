import { useMemo } from 'react';
import {
  TrafficNeighbours,
  TrafficPath,
  TrafficPicture,
  type TrafficNeighboursResult,
  type TrafficPathResult,
} from '../../emitted/operations.js';
import type { Failure } from '../../graph/failure.js';
import type { AnswerState } from '../../graph/use-answer.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import { useMay } from '../../graph/caller-context.js';
import { linksOf } from './links.js';
import {
  networkOf,
  routerScene,
  withNeighbours,
  type RouterScene,
  type Way,
} from './router-scene.js';
import type { TrafficSearch } from '../../addresses/traffic-search.js';

export interface NetworkState {
  readonly scene: RouterScene | undefined;
  readonly isPart: boolean;
  readonly failure: Failure | undefined;
}

/** Follows the routers and links for the picture, which has the chosen router with those beside it. */
export function useNetwork(
  round: number,
  way: Way | undefined,
  chosen: string | undefined,
): NetworkState {
  const may = useMay();
  const routers = may('Query', 'routers');
  const { data, failure } = useLiveAnswer(TrafficPicture, { routers }, round);
  const listed = useMemo(() => (data?.first ? networkOf(data) : undefined), [data]);
  const neighbours = useNeighbours(listed?.isPart === true ? chosen : undefined, round);
  const network = useMemo(
    () => (listed && neighbours ? withNeighbours(listed, neighbours) : listed),
    [listed, neighbours],
  );
  // A picture is drawn anew for another scene; most answers have what the one before them had.
  const content = useMemo(
    () => (network ? JSON.stringify(routerScene(network, way)) : undefined),
    [network, way],
  );
  const scene = useMemo(
    () => (content === undefined ? undefined : (JSON.parse(content) as RouterScene)),
    [content],
  );
  return {
    scene,
    isPart: network?.isPart ?? false,
    failure,
  };
}

function useNeighbours(
  router: string | undefined,
  round: number,
): TrafficNeighboursResult | undefined {
  const may = useMay();
  const id = router ?? '';
  const { data } = useLiveAnswer(
    TrafficNeighbours,
    { router: id, where: linksOf(id), routers: may('Query', 'routers') },
    round,
    { when: router !== undefined },
  );
  return router === undefined ? undefined : data;
}

/** Follows the path between two routers. */
export function usePath(
  { from, to }: TrafficSearch,
  round: number,
): AnswerState<TrafficPathResult> {
  const may = useMay();
  return useLiveAnswer(
    TrafficPath,
    { from: from ?? '', to: to ?? '', routers: may('Query', 'routers') },
    round,
    { when: from !== undefined && to !== undefined },
  );
}
