import { compareBytes } from '../../../base/byte-order.js';
import { POLICY_KINDS } from '../../../kernel/policy/index.js';
import type { PolicyKind, ServicePolicyType } from '../../../kernel/policy/index.js';
import type { ClassKeys } from './class-keys.js';
import type { EntityClasses } from './entity-classes.js';
import { keyFrom } from './fingerprints.js';
import { changeOfPolicy, KINDS_OF, MAP_KINDS, SIDE_OF } from './map-scope.js';
import type { MapChange, MapKind, MapScope, MapSide } from './map-scope.js';
import type { NodeItems } from './node-items.js';

/** A class of entities that are in the same policies, a policy, or several of either, merged. */
export interface MapNode {
  /** Depends on the policies of its members alone, or on what its members were merged by. */
  readonly key: string;
  /** The kind of its members: entities, or policies. */
  readonly kind: MapKind | PolicyKind;
  /** The number of its members. */
  readonly count: number;
  /** A role attribute that all its entities hold, or that all its policies name. */
  readonly roleAttribute: string | undefined;
  /** Of service policies. */
  readonly type: ServicePolicyType | undefined;
  readonly change: MapChange;
  /** The number of entities in each side of its policies; undefined for classes. */
  readonly sideCounts: ReadonlyMap<MapSide, number> | undefined;
  /** The numbers of its classes, or the positions of its policies. */
  readonly items: readonly number[];
}

export const isClassKind = (kind: MapNode['kind']): kind is MapKind =>
  (MAP_KINDS as readonly string[]).includes(kind);

const ORDER: readonly MapNode['kind'][] = [...MAP_KINDS, ...POLICY_KINDS];

/** Entities come before policies, and large nodes first. */
export const compareNodes = (a: MapNode, b: MapNode): number =>
  ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || b.count - a.count || compareBytes(a.key, b.key);

export function classNode(
  classes: EntityClasses,
  keys: ClassKeys,
  { items, roleAttribute }: NodeItems,
): MapNode {
  const { kind } = classes;
  const [first = 0] = items;
  const change = classes.changeOf(first);
  return {
    key: items.length === 1 ? keys.keyOf(first) : keyOfMerged([kind, change], roleAttribute),
    kind,
    count: items.reduce((sum, number) => sum + classes.sizeOf(number), 0),
    roleAttribute,
    type: undefined,
    change,
    sideCounts: undefined,
    items,
  };
}

export function policyNode(
  scope: MapScope,
  { items, roleAttribute }: NodeItems,
  sideCounts: ReadonlyMap<MapSide, number>,
): MapNode {
  const policies = items.flatMap((position) => scope.policies[position] ?? []);
  const [first] = policies;
  if (!first) throw new RangeError('a node has no policy');
  const { kind, type } = first;
  const change = changeOfPolicy(first);
  const parts = [kind, type ?? '', change];
  return {
    key:
      roleAttribute === undefined
        ? keyFrom(...parts, ...policies.map(({ id }) => id))
        : keyOfMerged(parts, roleAttribute),
    kind,
    count: policies.length,
    roleAttribute,
    type,
    change,
    sideCounts,
    items,
  };
}

/** Merged classes keep their key while members come and go. */
const keyOfMerged = (parts: readonly string[], attribute: string | undefined): string =>
  keyFrom('merged', ...parts, ...(attribute === undefined ? [] : [attribute]));

/** The number of entities in each side of a policy, in the later state in which it exists. */
export function sideCountsOf(scope: MapScope, position: number): Map<MapSide, number> {
  const counts = new Map<MapSide, number>();
  const policy = scope.policies[position];
  if (!policy) return counts;
  for (const kind of KINDS_OF[policy.kind]) {
    const { before, after } = scope.members(kind, policy);
    counts.set(SIDE_OF[kind], (policy.after ? after : before).popcount());
  }
  return counts;
}
