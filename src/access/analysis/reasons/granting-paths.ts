import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import { EVERYBODY, member } from '../../../kernel/policy/index.js';
import type {
  EntityValue,
  IndexedPolicy,
  Semantic,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';

/** A role that puts the entity in a side. In an AllOf list, all attributes match together. */
export interface MatchedRole {
  readonly kind: 'ALL' | 'ID' | 'ATTRIBUTE';
  readonly role: string;
}

/** A service policy that grants a pair. */
export interface GrantingPath {
  readonly policyId: string;
  readonly semantic: Semantic;
  readonly identityRoles: readonly MatchedRole[];
  readonly serviceRoles: readonly MatchedRole[];
  /** In byte order. */
  readonly postureCheckIds: readonly string[];
}

/** Gives the paths in byte order of the policy ids. */
export function grantingPaths(
  model: AccessModel,
  identityId: string,
  serviceId: string,
  type: ServicePolicyType,
): GrantingPath[] {
  const identity = model.entity('identity', identityId);
  const service = model.entity('service', serviceId);
  if (!identity || !service) return [];
  return model
    .policiesWith('servicePolicy', 'identities', identity)
    .filter((policy) => policy.type === type && isIn(policy, 'services', service))
    .sort((a, b) => compareBytes(a.id, b.id))
    .map((policy) => ({
      policyId: policy.id,
      semantic: policy.semantic,
      identityRoles: matchedRoles(policy, 'identities', identity),
      serviceRoles: matchedRoles(policy, 'services', service),
      postureCheckIds: postureChecksOf(model, policy),
    }));
}

/** The ids of the posture checks that a service policy needs, in byte order. */
export function postureChecksOf(model: AccessModel, policy: IndexedPolicy): string[] {
  const { all, ids, attributes } = rolesOn(policy, 'postureChecks');
  // Most policies have no posture checks.
  if (!all && ids.length + attributes.length === 0) return [];
  const checks = membersOf(model, 'servicePolicy', [policy], 'postureChecks');
  return byteSorted(model.idsOf('postureCheck', checks));
}

export const isIn = (policy: IndexedPolicy, side: Side, entity: EntityValue): boolean =>
  member(rolesOn(policy, side), policy.semantic, entity);

/** Gives the roles of a side that match the entity, in the order `#all`, ids, attributes. */
function matchedRoles(policy: IndexedPolicy, side: Side, entity: EntityValue): MatchedRole[] {
  const { all, ids, attributes } = rolesOn(policy, side);
  const heldNames = attributes.filter((name) => entity.attributes.includes(name));
  const matching =
    policy.semantic === 'AllOf' && heldNames.length < attributes.length ? [] : heldNames;
  return [
    ...(all ? [{ kind: 'ALL' as const, role: EVERYBODY }] : []),
    ...(ids.includes(entity.id) ? [{ kind: 'ID' as const, role: `@${entity.id}` }] : []),
    ...matching.map((name) => ({ kind: 'ATTRIBUTE' as const, role: `#${name}` })),
  ];
}
