import {
  EVERY_ENTITY,
  POLICY_SIDES,
  selectedBy,
  writtenSides,
} from '../../../kernel/policy/index.js';
import type {
  Bitset,
  EntityKind,
  EntityValue,
  IndexedPolicy,
  MembershipSide,
  PolicyKind,
  Roles,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';

/**
 * The input of an analysis: the entities and policies of a network at one moment. A `PolicyIndex`
 * is one as long as nothing writes to it; `ModelSnapshot` keeps the state of a moment while writes
 * continue; `ModelOverlay` is a model with changes that exist only in the analysis.
 */
export interface AccessModel {
  entity(kind: EntityKind, id: string): EntityValue | undefined;
  policy(kind: PolicyKind, id: string): IndexedPolicy | undefined;
  policies(kind: PolicyKind): Iterable<IndexedPolicy>;
  /** The policies whose side contains the entity as given, in no particular order. */
  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[];
  /** The ordinals of the entities in at least one of the sides; the caller may change the set. */
  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset;
  ordinalOf(kind: EntityKind, id: string): number | undefined;
  /** A number above all ordinals of the kind. */
  ordinalBound(kind: EntityKind): number;
  /** The ids of the entities at these ordinals, in no particular order. */
  idsOf(kind: EntityKind, ordinals: Bitset): string[];
  /** The attributes that at least one entity holds, in byte order. */
  attributesInUse(kind: EntityKind): readonly string[];
}

/** In byte order. */
export const TYPES = ['Bind', 'Dial'] as const satisfies readonly ServicePolicyType[];

const NO_ROLES: Roles = { all: false, attributes: [], ids: [] };

export const allOrdinals = (model: AccessModel, kind: EntityKind): Bitset =>
  model.union(kind, [EVERY_ENTITY]);

/** The roles by which the policy selects entities now. */
export const rolesOn = (policy: IndexedPolicy, side: Side): Roles => policy.sides[side] ?? NO_ROLES;

/** The roles that are written on the policy, which may not be in force. */
export const writtenRolesOn = (policy: IndexedPolicy, side: Side): Roles =>
  writtenSides(policy)[side] ?? NO_ROLES;

type RolesOf = (policy: IndexedPolicy, side: Side) => Roles;

const membersBy =
  (rolesOf: RolesOf) =>
  (model: AccessModel, kind: PolicyKind, policies: readonly IndexedPolicy[], side: Side): Bitset =>
    model.union(
      selectedBy(kind, side),
      policies.map((policy) => ({ roles: rolesOf(policy, side), semantic: policy.semantic })),
    );

/** The entities in one side of at least one of the policies. */
export const membersOf = membersBy(rolesOn);

/** The entities that the written roles of one side select, of policies that may not be in force. */
export const writtenMembersOf = membersBy(writtenRolesOn);

/** The sides of a kind of policies, in their order. */
export const sidesOf = (kind: PolicyKind): Side[] => Object.keys(POLICY_SIDES[kind]) as Side[];

/** Roles may name attributes that no entity can hold, such as `#a` or `@a`. */
export const isHoldable = (attribute: string): boolean => !/^[#@]/.test(attribute);

/** Gives the role list that a side was parsed from; its order may differ. */
export const roleTexts = ({ all, attributes, ids }: Roles): string[] => [
  ...(all ? ['#all'] : []),
  ...attributes.map((name) => `#${name}`),
  ...ids.map((id) => `@${id}`),
];
