import { useCallback, useState } from 'react';
import { useEvery } from '../../graph/use-every.js';

/** Callers without permissions can not follow the change log, so the page reads again at times. */
const REFRESH_MS = 15_000;

export interface AccessRounds {
  /** Grows when the page is to be read again. */
  readonly round: number;
  /** After the caller has changed something. */
  readonly changed: () => void;
}

export function useAccessRounds(): AccessRounds {
  const [round, setRound] = useState(0);
  const changed = useCallback(() => {
    setRound((count) => count + 1);
  }, []);
  useEvery(REFRESH_MS, changed);
  return { round, changed };
}
