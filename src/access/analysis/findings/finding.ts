import type { EntityKind, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { compareBytes } from '../../../base/byte-order.js';
import type { WhatIfChange } from '../model/what-if-change.js';

/** Findings are listed in this order. */
export const FINDING_KINDS = [
  'ACCESS_RULE_VIOLATED',
  'UNVERIFIED_AUTHORITY',
  'ADMIN_WITHOUT_SECOND_FACTOR',
  'OVERBROAD_POLICY',
  'ACCESS_RULE_MATCHES_NOTHING',
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

/** A probable mistake in the configuration of the network. */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** The entity it is about, then the others that take part; the list is cut off. */
  readonly entities: readonly FindingEntity[];
  readonly entityCount: number;
  /** The side of the policy, and the role or attribute, for a finding about one. */
  readonly side?: Side;
  readonly about?: string;
  /** The attribute that was probably intended, and the kind of entity that holds both. */
  readonly similarTo?: string;
  readonly attributesOf?: EntityKind;
  readonly text: string;
  /** The changes that resolve it, empty where no change certainly does. */
  readonly changes: readonly WhatIfChange[];
}

/** Whether the controller owns the entity, so that clients can not change it. */
export type IsSystem = (kind: EntityKind | PolicyKind, id: string) => boolean;

/** A finding names, and changes, at most so many entities. */
export const MAX_ENTITIES = 25;

/**
 * A change of the attributes of an entity repeats all of them. Of an entity with more attributes, no
 * finding has one: each of a thousand findings would repeat a thousand attributes.
 */
export const MAX_ATTRIBUTES = 200;

/** Names for texts. */
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

/** Gives the key that orders findings about the same entity. */
const keyOf = ({ kind, entities, side, about, similarTo, attributesOf }: Finding): string =>
  JSON.stringify([kind, entities[0], side, about, similarTo, attributesOf]);

/** Orders by kind, then by the bytes of the first entity. */
export function compareFindings(a: Finding, b: Finding): number {
  const idOf = ({ entities }: Finding): string => entities[0]?.id ?? '';
  return (
    FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind) ||
    compareBytes(a.entities[0]?.kind ?? '', b.entities[0]?.kind ?? '') ||
    compareBytes(idOf(a), idOf(b)) ||
    compareBytes(keyOf(a), keyOf(b))
  );
}
