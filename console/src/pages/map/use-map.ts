import { useEffect, useMemo, useRef, useState } from 'react';
import { AccessMapPicture, type AccessMapPictureResult } from '../../emitted/operations.js';
import { useDraft } from '../../draft/draft.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useShownChanges } from '../../graph/use-change-rounds.js';
import type { ColoredBy } from './levels.js';
import { graphOf, type MapGraph } from './map-graph.js';
import { type MapSearch } from '../../addresses/map-search.js';
import { mapVariables, type MapVariables } from './map-variables.js';

/** The variables of the map's question, with the draft of this tab when that is wanted. */
export function useMapVariables(search: MapSearch): MapVariables {
  const draft = useDraft();
  return useMemo(() => mapVariables(search, draft), [search, draft]);
}

/** Presence and the verdicts of posture checks change without a change of the network. */
const REFRESH_MS = 30_000;

/** A map of the present is not read again by itself: the picture would move under the pointer. */
export function useMap(variables: MapVariables, look: ColoredBy) {
  const changes = useShownChanges();
  const latest = useRef(changes);
  latest.current = changes;
  const [changesAtReading, setChangesAtReading] = useState(changes);
  const [round, setRound] = useState(0);
  const answer = useAnswer(
    AccessMapPicture,
    { ...variables, hasOnline: look === 'online', hasPosture: look === 'posture' },
    look !== undefined && variables.at === undefined ? { every: REFRESH_MS } : {},
  );
  useEffect(() => {
    setChangesAtReading(latest.current);
  }, [answer.data]);
  return {
    ...answer,
    round,
    isOld: variables.at === undefined && changes > changesAtReading,
    reload: () => {
      setRound(round + 1);
      answer.reload();
    },
  };
}

export function useGraph(data: AccessMapPictureResult | undefined): MapGraph | undefined {
  const map = data?.accessMap;
  return useMemo(() => (map ? graphOf(map) : undefined), [map]);
}
