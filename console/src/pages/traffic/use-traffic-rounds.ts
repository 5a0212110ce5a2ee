import { useCallback, useEffect } from 'react';
import { NewCircuitChanges, NewRouterStatus } from '../../emitted/operations.js';
import { useEvery } from '../../graph/use-answer.js';
import { useIsVisible } from '../../graph/use-is-visible.js';
import { useRounds } from '../../graph/use-rounds.js';
import { useWatch } from '../../graph/use-watch.js';
import { useMay } from '../../shell/caller-context.js';

const PAUSE_MS = 1_000;
/** Links, latencies and bytes change without an event. */
const REFRESH_MS = 15_000;

export interface TrafficRounds {
  /** Grows when routers have come or gone, and at times. */
  readonly network: number;
  /** Grows when circuits have begun, moved or ended, too. */
  readonly circuits: number;
}

/** Tells when routers, links and circuits are to be read again. */
export function useTrafficRounds(): TrafficRounds {
  const [network, countNetwork] = useRounds(PAUSE_MS, true);
  const [circuits, countCircuits] = useRounds(PAUSE_MS, true);
  const may = useMay();
  const isVisible = useIsVisible();
  const countAll = useCallback(() => {
    countNetwork();
    countCircuits();
  }, [countNetwork, countCircuits]);
  useWatch(NewRouterStatus, {}, countAll, may('Subscription', 'routerStatus'));
  useWatch(NewCircuitChanges, {}, countCircuits, may('Subscription', 'circuitChanges'));
  useEvery(REFRESH_MS, countAll);
  useEffect(() => {
    if (isVisible) countAll();
  }, [isVisible, countAll]);
  return { network, circuits };
}
