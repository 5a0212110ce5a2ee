import type { EntityKind, PolicyKind, Side } from '../policy/index.js';
import { compareBytes } from '../base/byte-order.js';
import type { WhatIfChange } from './what-if-change.js';

/** In the order findings are listed in. */
export const FINDING_KINDS = [
  'ACCESS_RULE_VIOLATED',
  'UNVERIFIED_AUTHORITY',
  'ADMIN_WITHOUT_SECOND_FACTOR',
  'OVERBROAD_POLICY',
  'UNUSED_POSTURE_CHECK',
  'IDENTITY_WITHOUT_ROUTER',
  'SERVICE_NOBODY_DIALS',
  'SERVICE_NOBODY_HOSTS',
  'POLICY_GRANTS_NOTHING',
  'ROLE_MATCHES_NOTHING',
  'DUPLICATE_POLICY',
  'SHADOWED_POLICY',
  'POLICY_REDUNDANT_TODAY',
  'POLICY_COVERED_TODAY',
  'NEAR_DUPLICATE_ATTRIBUTE',
  'ATTRIBUTE_USED_ONCE',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export type Severity = 'HIGH' | 'MEDIUM' | 'LOW';

export interface FindingEntity {
  readonly kind: EntityKind | PolicyKind | 'accessRule' | 'authority';
  readonly id: string;
}

/** Something about the network that is probably not meant. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** What it is about, first, and what else takes part; the first of many. */
  readonly entities: readonly FindingEntity[];
  readonly entityCount: number;
  /** The side of the policy, and the role or attribute, where it is about one. */
  readonly side?: Side;
  readonly about?: string;
  /** The attribute that is probably meant instead, and the kind of entity that both are of. */
  readonly similarTo?: string;
  readonly attributesOf?: EntityKind;
  readonly text: string;
  /** What resolves it, empty where nothing does for certain. */
  readonly changes: readonly WhatIfChange[];
}

/** Whether it is one of the controller's own, which nobody may change. */
export type IsSystem = (kind: EntityKind | PolicyKind, id: string) => boolean;

/** Up to so many entities are named, and changed at once. */
export const MOST_ENTITIES = 25;

/** How people call them. */
export const NAMES: Readonly<Record<EntityKind | PolicyKind, string>> = {
  identity: 'identity',
  service: 'service',
  edgeRouter: 'edge router',
  postureCheck: 'posture check',
  servicePolicy: 'service policy',
  edgeRouterPolicy: 'edge router policy',
  serviceEdgeRouterPolicy: 'service edge router policy',
};

export const SIDE_NAMES: Readonly<Record<Side, string>> = {
  identities: 'identity roles',
  services: 'service roles',
  edgeRouters: 'edge router roles',
  postureChecks: 'posture check roles',
};

/** Its place among findings about the same entity. */
const keyOf = ({ kind, entities, side, about, similarTo, attributesOf }: Finding): string =>
  JSON.stringify([kind, entities[0], side, about, similarTo, attributesOf]);

/** By kind, then by the bytes of what they are about. */
export function compareFindings(a: Finding, b: Finding): number {
  const idOf = ({ entities }: Finding): string => entities[0]?.id ?? '';
  return (
    FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind) ||
    compareBytes(a.entities[0]?.kind ?? '', b.entities[0]?.kind ?? '') ||
    compareBytes(idOf(a), idOf(b)) ||
    compareBytes(keyOf(a), keyOf(b))
  );
}
