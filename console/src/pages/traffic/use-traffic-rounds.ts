import { useCallback, useEffect } from 'react';
import { NewCircuitChanges, NewRouterStatus } from '../../emitted/operations.js';
import { useEvery } from '../../graph/use-every.js';
import { useIsVisible } from '../../graph/use-is-visible.js';
import { useRounds } from '../../graph/use-rounds.js';
import { useWatch } from '../../graph/use-watch.js';
import { useMay } from '../../graph/caller-context.js';
import type { TrafficSearch } from '../../addresses/traffic-search.js';

const PAUSE_MS = 1_000;
/** Links, latencies and bytes change without an event. */
const REFRESH_MS = 15_000;

export interface TrafficRounds {
  /** Grows when routers have come or gone, and at times. */
  readonly network: number;
  /** Grows when circuits have begun, moved or ended, where the page is about them, and at times. */
  readonly circuits: number;
}

type Followed = 'routers' | 'circuits';

/**
 * A browser has six connections to a host, and a stream keeps one. So a page follows what it is about, and
 * reads the rest at times.
 */
function followedOn({ view, circuit }: TrafficSearch): Followed | undefined {
  if (view === 'circuits' || circuit !== undefined) return 'circuits';
  return view === 'usage' ? undefined : 'routers';
}

/** Tells when routers, links and circuits are to be read again. */
export function useTrafficRounds(search: TrafficSearch): TrafficRounds {
  const [network, countNetwork] = useRounds(PAUSE_MS, true);
  const [circuits, countCircuits] = useRounds(PAUSE_MS, true);
  const may = useMay();
  const isVisible = useIsVisible();
  const countAll = useCallback(() => {
    countNetwork();
    countCircuits();
  }, [countNetwork, countCircuits]);
  const followed = followedOn(search);
  const areRouters = followed === 'routers' && may('Subscription', 'routerStatus');
  const areCircuits = followed === 'circuits' && may('Subscription', 'circuitChanges');
  useWatch(NewRouterStatus, {}, countAll, areRouters);
  useWatch(NewCircuitChanges, {}, countCircuits, areCircuits);
  useEvery(REFRESH_MS, countAll);
  useEffect(() => {
    if (isVisible) countAll();
  }, [isVisible, followed, countAll]);
  return { network, circuits };
}
