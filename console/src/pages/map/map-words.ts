import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { MAP_KINDS } from '../../parts/picture/scene.js';
import { texts } from '../../texts.js';
import type { MapKind, MapNode } from './map-graph.js';

/** `servicePolicy` -> `ServicePolicy`, the type in the graph. */
export const typeOfKind = (kind: MapKind): string => kind.charAt(0).toUpperCase() + kind.slice(1);

/** The types in the graph that the map shows. */
export const SHOWN_TYPES = MAP_KINDS.map(typeOfKind);

/** `servicePolicy` -> `Service policy`. */
export const oneOfKind = (kind: MapKind): string => wordsOf(kind);

/** `servicePolicy` -> `Service policies`. */
export const manyOfKind = (kind: MapKind): string =>
  wordsOf(kindOfType(typeOfKind(kind))?.list ?? kind);

/** A node in a few words: its name, or one of its names and the number of the others. */
export function labelOf({ count, kind, roleAttribute, sampleNames }: MapNode): string {
  const [first = wordsOf(kind)] = sampleNames;
  if (roleAttribute !== null && count > 1) return texts.map.withRole(roleAttribute, count);
  return count > 1 ? texts.map.andMore(first, count - 1) : first;
}

/** Of policies: `94 identities, 12 services`. */
export function sidesOf(node: MapNode): string {
  const sides: readonly (readonly [number | null, MapKind])[] = [
    [node.identityCount, 'identity'],
    [node.serviceCount, 'service'],
    [node.edgeRouterCount, 'edgeRouter'],
  ];
  return sides
    .flatMap(([count, kind]) =>
      count === null
        ? []
        : [texts.map.sideOf(count, count === 1 ? oneOfKind(kind) : manyOfKind(kind))],
    )
    .join(', ');
}
