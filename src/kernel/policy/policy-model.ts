import { byteSorted } from '../../base/byte-order.js';
import { PENDING, type RoleHolder, type Roles, type Semantic } from './roles.js';

/** The kinds of entities that policies select by role. */
export const ENTITY_KINDS = ['identity', 'service', 'edgeRouter', 'postureCheck'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** The sides of every kind of policy, and the kind of entities that each side selects. */
export const POLICY_SIDES = {
  servicePolicy: { identities: 'identity', services: 'service', postureChecks: 'postureCheck' },
  edgeRouterPolicy: { identities: 'identity', edgeRouters: 'edgeRouter' },
  serviceEdgeRouterPolicy: { services: 'service', edgeRouters: 'edgeRouter' },
} as const satisfies Record<string, Partial<Record<Side, EntityKind>>>;

export const POLICY_KINDS = [
  'servicePolicy',
  'edgeRouterPolicy',
  'serviceEdgeRouterPolicy',
] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];
export type Side = 'identities' | 'services' | 'edgeRouters' | 'postureChecks';
export type SideOf<K extends PolicyKind> = K extends PolicyKind
  ? keyof (typeof POLICY_SIDES)[K] & Side
  : never;

export type ServicePolicyType = 'Dial' | 'Bind';

interface HeldAttributes {
  readonly attributes: readonly string[];
  /** Those of its attributes that only role assignments give it; absent if there are none. */
  readonly assigned?: readonly string[];
}

/** An entity in the index: `attributes` are its role attributes. */
export interface EntityValue extends RoleHolder, HeldAttributes {
  /** The attributes of an identity that is pending, which count after its approval. */
  readonly onceApproved?: HeldAttributes;
}

/** An identity that waits for its approval. */
export const pendingValue = (onceApproved: HeldAttributes): Omit<EntityValue, 'id'> => ({
  attributes: [PENDING],
  onceApproved,
});

/** The entity as it is after its approval; one that is not pending is the same. */
export const approvedValue = <V extends Omit<EntityValue, 'id'>>(
  entity: V,
): Omit<V, 'onceApproved'> => {
  const { onceApproved, ...value } = entity;
  return onceApproved ? { ...value, ...onceApproved } : value;
};

/** The attributes that are written on an entity. */
export function writtenAttributes(entity: Omit<EntityValue, 'id'>): string[] {
  const { attributes, assigned } = entity.onceApproved ?? entity;
  return attributes.filter((name) => assigned?.includes(name) !== true);
}

/** The same entity with other attributes; one that is pending stays so. */
export function withAttributes(
  entity: EntityValue,
  written: readonly string[],
  given: readonly string[],
): EntityValue {
  const joined = joinedAttributes(written, given);
  return { id: entity.id, ...(entity.onceApproved ? pendingValue(joined) : joined) };
}

/** The attributes of an entity: those written on it, and those that role assignments give it. */
export function joinedAttributes(
  written: readonly string[],
  given: readonly string[],
): HeldAttributes {
  const assigned = given.filter((name) => !written.includes(name));
  if (assigned.length === 0) return { attributes: written };
  return { attributes: byteSorted([...written, ...assigned]), assigned };
}

/** A policy for the index: one role list (`#attribute`, `@id`, `#all`) per side. */
export type PolicyValue<K extends PolicyKind> = {
  readonly id: string;
  readonly semantic: Semantic;
  readonly roles: Readonly<Record<SideOf<K>, readonly string[]>>;
} & (K extends 'servicePolicy'
  ? { readonly type: ServicePolicyType } & Pick<AnyPolicyValue, 'dormantRoles' | 'endsByItself'>
  : unknown);

/** A policy of any kind; the kind decides its sides. */
export interface AnyPolicyValue {
  readonly id: string;
  readonly semantic: Semantic;
  readonly type?: ServicePolicyType;
  readonly roles: Readonly<Partial<Record<Side, readonly string[]>>>;
  /** The written roles of a policy that is not in force, whose `roles` are empty; absent if it is in force. */
  readonly dormantRoles?: Readonly<Partial<Record<Side, readonly string[]>>>;
  /** It is in force, and will not be at a time to come. */
  readonly endsByItself?: true;
}

/** A policy in the index. Only service policies have a `type`. */
export interface IndexedPolicy {
  readonly id: string;
  readonly semantic: Semantic;
  readonly type: ServicePolicyType | undefined;
  /** The roles by which it selects entities now. */
  readonly sides: Sides;
  /** The written roles of a policy that is not in force, whose `sides` are empty; absent if it is in force. */
  readonly dormantSides?: Sides;
  readonly endsByItself?: true;
}

type Sides = Readonly<Partial<Record<Side, Roles>>>;

/** The roles that are written on a policy, also while it is not in force. */
export const writtenSides = ({ sides, dormantSides = sides }: IndexedPolicy): Sides => dormantSides;

/** Whether the policy selects entities; a policy that is not in force selects none. */
export const isInForce = ({ dormantSides }: IndexedPolicy): boolean => dormantSides === undefined;

interface Change {
  readonly id: string;
  readonly revision: number;
}

export interface EntityChange extends Change {
  readonly kind: EntityKind;
  readonly value: Omit<EntityValue, 'id'> | null;
}

export type PolicyRowChange = Change &
  {
    [K in PolicyKind]: { readonly kind: K; readonly value: Omit<PolicyValue<K>, 'id'> | null };
  }[PolicyKind];

/**
 * A change of the model: the row after it, or null when it was deleted. Revisions of one id only
 * grow, even if it is deleted and created again; a deletion has the last revision or a later one.
 */
export type PolicyChange = EntityChange | PolicyRowChange;

/** The state that a change replaced; `before` is undefined for a new row. */
export type Replaced =
  | {
      readonly kind: EntityKind;
      readonly id: string;
      readonly before: EntityValue | undefined;
      /** Its former position in the bitsets. */
      readonly ordinal: number | undefined;
    }
  | { readonly kind: PolicyKind; readonly id: string; readonly before: IndexedPolicy | undefined };

export const isPolicyChange = (change: PolicyChange): change is PolicyRowChange =>
  isPolicyKind(change.kind);

export const isPolicyKind = (kind: EntityKind | PolicyKind): kind is PolicyKind =>
  kind in POLICY_SIDES;

/** Gives the kind of entity that a side of a policy selects. */
export function selectedBy(kind: PolicyKind, side: Side): EntityKind {
  const sides: Partial<Record<Side, EntityKind>> = POLICY_SIDES[kind];
  const entityKind = sides[side];
  if (!entityKind) throw new TypeError(`${kind} has no side ${side}`);
  return entityKind;
}
