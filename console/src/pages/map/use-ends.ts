import { useRef } from 'react';
import type { Failure } from '../../graph/failure.js';
import { useAttempt } from '../../graph/use-attempt.js';
import type { MapKind, MapNode } from './map-graph.js';
import type { MapSearch } from '../../addresses/map-search.js';
import { firstMember } from './members.js';
import type { MapVariables } from './map-variables.js';

/** The ends of paths. */
export type End = 'identity' | 'service';

export interface Ends {
  readonly failure: Failure | undefined;
  readonly choose: (end: End, id: string) => void;
  /** Chooses a member of a class: all of them have the same paths. */
  readonly chooseClass: (node: MapNode) => void;
}

/** The end that a node can be; merged nodes have members with different paths. */
export const endOf = (node: MapNode): End | undefined =>
  node.isMerged ? undefined : endOfKind(node.kind);

export const endOfKind = (kind: MapKind): End | undefined =>
  kind === 'identity' || kind === 'service' ? kind : undefined;

/** The end that is missing when the other one is chosen. */
export function missingEnd({ identity, service }: MapSearch): End | undefined {
  if ((identity === undefined) === (service === undefined)) return undefined;
  return identity === undefined ? 'identity' : 'service';
}

export function useEnds(
  search: MapSearch,
  variables: MapVariables,
  change: (changed: MapSearch) => void,
): Ends {
  const { attempt, failure } = useAttempt();
  const latest = useRef(search);
  latest.current = search;
  const choose = (end: End, id: string): void => {
    change({ [end]: id, node: undefined });
  };
  const chooseClass = (node: MapNode): void => {
    const end = endOf(node);
    if (!end) return;
    attempt(async () => {
      const id = await firstMember(node.key, variables);
      // Another node may be selected meanwhile.
      if (id !== undefined && latest.current.node === node.key) choose(end, id);
    });
  };
  return { failure, choose, chooseClass };
}
