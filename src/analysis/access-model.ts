import { POLICY_SIDES } from '../policy/index.js';
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
} from '../policy/index.js';

/**
 * What analysis reads: the entities and policies of a network at one moment. A `PolicyIndex` is
 * one as long as nothing is written; `ModelSnapshot` holds a moment while writes go on, and
 * `ModelOverlay` is a model with changes that were never made.
 */
export interface AccessModel {
  entity(kind: EntityKind, id: string): EntityValue | undefined;
  policy(kind: PolicyKind, id: string): IndexedPolicy | undefined;
  policies(kind: PolicyKind): Iterable<IndexedPolicy>;
  /** The policies whose side contains the entity as given, in no particular order. */
  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[];
  /** The ordinals of the entities in at least one of the sides, as a copy of its own. */
  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset;
  ordinalOf(kind: EntityKind, id: string): number | undefined;
  /** All ordinals of the kind are below it. */
  ordinalBound(kind: EntityKind): number;
  /** The ids of the entities at these ordinals, in no particular order. */
  idsOf(kind: EntityKind, ordinals: Bitset): string[];
  /** The attributes that at least one entity holds, in byte order. */
  attributesInUse(kind: EntityKind): readonly string[];
}

/** In the order of their bytes. */
export const TYPES = ['Bind', 'Dial'] as const satisfies readonly ServicePolicyType[];

const NOBODY: Roles = { all: false, attributes: [], ids: [] };
const EVERYBODY: MembershipSide = {
  roles: { all: true, attributes: [], ids: [] },
  semantic: 'AnyOf',
};

export const everyone = (model: AccessModel, kind: EntityKind): Bitset =>
  model.union(kind, [EVERYBODY]);

export const rolesOn = (policy: IndexedPolicy, side: Side): Roles => policy.sides[side] ?? NOBODY;

/** The entities in one side of at least one of the policies. */
export function membersOf(
  model: AccessModel,
  kind: PolicyKind,
  policies: readonly IndexedPolicy[],
  side: Side,
): Bitset {
  return model.union(
    selectedBy(kind, side),
    policies.map((policy) => ({ roles: rolesOn(policy, side), semantic: policy.semantic })),
  );
}

/** What a side of a kind of policies selects. */
export function selectedBy(kind: PolicyKind, side: Side): EntityKind {
  const sides: Partial<Record<Side, EntityKind>> = POLICY_SIDES[kind];
  const selected = sides[side];
  if (!selected) throw new TypeError(`${kind} has no side ${side}`);
  return selected;
}

/** The sides of a kind of policies, in their order. */
export const sidesOf = (kind: PolicyKind): Side[] => Object.keys(POLICY_SIDES[kind]) as Side[];

/** Roles may name attributes that no entity can hold. */
export const isHoldable = (attribute: string): boolean => !/^[#@]/.test(attribute);

/** The role list a side was parsed from, up to its order. */
export const roleTexts = ({ all, attributes, ids }: Roles): string[] => [
  ...(all ? ['#all'] : []),
  ...attributes.map((name) => `#${name}`),
  ...ids.map((id) => `@${id}`),
];
