import { useEffect, useMemo, useRef, useState } from 'react';
import { AccessMapPicture } from '../../emitted/operations.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import type { MapGraph } from './map-graph.js';
import type { Layout, MapSearch } from '../../addresses/map-search.js';
import type { Scene } from '../../parts/picture/scene.js';
import { sceneOf, Scenes } from './map-scene.js';
import { useGraph } from './use-map.js';
import type { MapVariables } from './map-variables.js';

interface SceneState {
  readonly scene: Scene | undefined;
  /** Whether the map of now is not laid out yet. */
  readonly isLaying: boolean;
}

/** Lays the map out, on the way through time like the map of the present. */
export function useScene(
  graph: MapGraph | undefined,
  search: MapSearch,
  variables: MapVariables,
  round: number,
): SceneState {
  const layout = search.layout ?? 'lanes';
  const isTime = search.time === true;
  const scenes = useScenes(isTime, variables, layout, round);
  const latestAt = useRef(search.at);
  latestAt.current = search.at;
  const [held, setHeld] = useState<{ readonly graph: MapGraph; readonly scene: Scene }>();
  useEffect(() => {
    let isWanted = true;
    if (graph && (scenes || !isTime)) {
      const laidOut = scenes
        ? scenes.sceneOf(graph, search.look, latestAt.current)
        : sceneOf(graph, layout, search.look);
      void laidOut.then((scene) => {
        if (isWanted) setHeld({ graph, scene });
      });
    }
    return () => {
      isWanted = false;
    };
  }, [graph, layout, search.look, scenes, isTime]);
  return { scene: held?.scene, isLaying: held?.graph !== graph };
}

/** The present decides the places of all times. */
function useScenes(
  isTime: boolean,
  variables: MapVariables,
  layout: Layout,
  round: number,
): Scenes | undefined {
  const { data } = useLiveAnswer(
    AccessMapPicture,
    { ...variables, at: undefined, hasOnline: false, hasPosture: false },
    round,
    { when: isTime },
  );
  const present = useGraph(data);
  return useMemo(
    () => (isTime && present ? new Scenes(present, layout) : undefined),
    [isTime, present, layout],
  );
}
