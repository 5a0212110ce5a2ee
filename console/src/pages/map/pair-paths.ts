import type { Lit } from '../../parts/picture/scene.js';
import { isCommon, routersOfPair, type RouterOfPair } from '../../parts/access/routers-of-pair.js';
import type { AccessMapPlacesResult, AccessType } from '../../emitted/operations.js';
import type { Explanation, Pair } from '../../parts/access/pair.js';
import { edgesOf, type MapGraph, type MapKind } from './map-graph.js';

/** The node that an entity or a policy is in. */
export type Place = NonNullable<AccessMapPlacesResult['accessMap']>['places'][number];

/** An entity or a policy on a path. */
interface Stop {
  readonly kind: MapKind;
  readonly id: string;
}

/** The controller looks for no more at once. */
const MAX_STOPS = 5_000;

/** The routers that both sides may use. */
export const commonRouters = ({ routers }: Explanation): readonly RouterOfPair[] =>
  routersOfPair(routers).filter(isCommon);

/** All that joins an identity with a service: the policies that grant it, and what they share of routers. */
export function stopsOf({ identityId, serviceId }: Pair, access: Explanation): readonly Stop[] {
  const policies = (kind: MapKind, of: readonly { readonly policyId: string }[]): Stop[] =>
    of.map(({ policyId }) => ({ kind, id: policyId }));
  const stops: readonly Stop[] = [
    { kind: 'identity', id: identityId },
    { kind: 'service', id: serviceId },
    ...policies('servicePolicy', access.paths),
    ...commonRouters(access).flatMap(({ routerId, byIdentity, byService }): Stop[] => [
      { kind: 'edgeRouter', id: routerId },
      ...policies('edgeRouterPolicy', byIdentity),
      ...policies('serviceEdgeRouterPolicy', byService),
    ]),
  ];
  return [...new Map(stops.map((stop) => [nameOf(stop), stop])).values()].slice(0, MAX_STOPS);
}

const nameOf = ({ kind, id }: Stop): string => `${kind} ${id}`;

/** Lights the nodes of the stops, and the edges between them. */
export function litBetween(
  graph: MapGraph,
  pair: Pair,
  stops: readonly Stop[],
  places: readonly Place[],
): Lit {
  const wanted = new Set(stops.map(nameOf));
  const stopPlaces = places.filter(({ kind, entityId }) =>
    wanted.has(nameOf({ kind, id: entityId })),
  );
  const ends = [pair.identityId, pair.serviceId];
  const marked = stopPlaces.filter(
    ({ kind, entityId }) => !kind.endsWith('Policy') && ends.includes(entityId),
  );
  const nodes = new Set([
    ...stopPlaces.map(({ key }) => key),
    ...policiesBetween(
      graph,
      pair.type,
      marked.map(({ key }) => key),
    ),
  ]);
  const edges = graph.map.edges.filter(
    ({ classKey, policyKey, type }) =>
      nodes.has(classKey) && nodes.has(policyKey) && (type === null || type === pair.type),
  );
  return { marked: new Set(marked.map(({ key }) => key)), nodes, edges: new Set(edges) };
}

/** The policies of the kind of access that certainly join both ends, also those that a draft adds. */
function policiesBetween(
  graph: MapGraph,
  accessType: AccessType,
  [first = '', second = '']: readonly string[],
): readonly string[] {
  const policiesOf = (key: string): readonly string[] =>
    edgesOf(graph, key)
      .filter(({ type, isComplete }) => isComplete && type === accessType)
      .map(({ policyKey }) => policyKey);
  const others = new Set(policiesOf(second));
  return policiesOf(first).filter((key) => others.has(key));
}
