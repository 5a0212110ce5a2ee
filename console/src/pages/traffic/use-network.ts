import { useMemo } from 'react';
import { TrafficPath, TrafficPicture, type TrafficPathResult } from '../../emitted/operations.js';
import type { Failure } from '../../graph/failure.js';
import type { AnswerState } from '../../graph/use-answer.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import { useMay } from '../../shell/caller-context.js';
import { networkOf, routerScene, type RouterScene, type Way } from './router-scene.js';
import type { TrafficSearch } from './traffic-search.js';

export interface NetworkState {
  readonly scene: RouterScene | undefined;
  readonly isPart: boolean;
  readonly failure: Failure | undefined;
}

/** Follows the routers and links for the picture. */
export function useNetwork(round: number, way: Way | undefined): NetworkState {
  const may = useMay();
  const { data, failure } = useLiveAnswer(
    TrafficPicture,
    { routers: may('Query', 'routers') },
    round,
  );
  const network = useMemo(() => (data?.first ? networkOf(data) : undefined), [data]);
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
