import { textsOf, type JsonObject } from '../../base/row.js';
import {
  ENTITY_KINDS,
  joinedAttributes,
  pendingValue,
  POLICY_KINDS,
  POLICY_SIDES,
  type AnyPolicyValue,
  type EntityKind,
  type EntityValue,
  type PolicyKind,
  type Side,
} from './policy-model.js';

/** The attribute with the roles of each side of a policy. */
export const ROLES_OF = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  edgeRouters: 'edgeRouterRoles',
  postureChecks: 'postureCheckRoles',
} as const satisfies Readonly<Record<Side, string>>;

export const isEntityKind = (kind: string): kind is EntityKind =>
  (ENTITY_KINDS as readonly string[]).includes(kind);

/** Whether access depends on entities of the kind. */
export const isIndexed = (kind: string): kind is EntityKind | PolicyKind =>
  isEntityKind(kind) || (POLICY_KINDS as readonly string[]).includes(kind);

/** The part of an entity or a policy on which access depends. */
export const indexedValue = (kind: EntityKind | PolicyKind, row: JsonObject): object =>
  isEntityKind(kind) ? entityValue(row) : policyValue(kind, row);

function entityValue(row: object): Omit<EntityValue, 'id'> {
  const { isPending }: EffectiveSources = row;
  return isPending === true ? pendingValue(attributesOf(row)) : attributesOf(row);
}

function attributesOf(row: object): ReturnType<typeof joinedAttributes> {
  const { roleAttributes, assignedRoleAttributes }: EffectiveSources = row;
  return joinedAttributes(textsOf(roleAttributes), textsOf(assignedRoleAttributes));
}

/** A row of an entity as policies select it. */
export const entityOf = (row: { readonly id: string }): EntityValue => ({
  id: row.id,
  ...entityValue(row),
});

/**
 * The attributes by which policies select an entity: those written on it, and those that its role
 * assignments give it. Only identities have assignments. Of an identity that is pending they count
 * after its approval.
 */
export const effectiveAttributes = (row: object): readonly string[] => attributesOf(row).attributes;

interface EffectiveSources {
  readonly roleAttributes?: unknown;
  readonly assignedRoleAttributes?: unknown;
  readonly isPending?: unknown;
}

/** The attributes of a row that decide which policies select it. */
export const EFFECTIVE_SOURCES = ['roleAttributes', 'assignedRoleAttributes', 'isPending'] as const;

/**
 * A policy that is not in force has no roles here. So every reader of the model sees that it grants nothing, and
 * only those that show what is written on it read `dormantRoles`.
 */
function policyValue(kind: PolicyKind, row: JsonObject): object {
  const sides = Object.keys(POLICY_SIDES[kind]) as Side[];
  const roles = Object.fromEntries(sides.map((side) => [side, textsOf(row[ROLES_OF[side]])]));
  const { semantic, type, isInForce, nextChangeAt = null } = row;
  if (kind !== 'servicePolicy') return { semantic, roles };
  if (isInForce === false) return { semantic, type, ...dormant(roles) };
  return { semantic, type, roles, ...(nextChangeAt !== null && { endsByItself: true }) };
}

/** The roles of a policy that is not in force. */
export const dormant = (
  written: AnyPolicyValue['roles'],
): Pick<AnyPolicyValue, 'roles' | 'dormantRoles'> => ({
  roles: Object.fromEntries(Object.keys(written).map((side) => [side, []])),
  dormantRoles: written,
});
