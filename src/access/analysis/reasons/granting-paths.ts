import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import {
  attribute,
  bool,
  described,
  id,
  list,
  object,
  objects,
  oneOf,
  text,
  type ValueOf,
} from '../../../kernel/declare/attribute.js';
import { SEMANTIC } from '../../../kernel/declare/resource.js';
import { EVERYBODY, isPending, member } from '../../../kernel/policy/index.js';
import type {
  EntityValue,
  IndexedPolicy,
  Semantic,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';
import { PostureFailure } from '../../../trust/posture/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';

/** Describes the names in answers about access. */
export const PAST_NAME = 'Its name at the requested time; empty if unknown.';

const MATCH_KIND = oneOf(
  'MatchKind',
  {
    ALL: 'Every entity of the kind: `#all`.',
    ID: 'One entity by its id: `@id`.',
    ATTRIBUTE: 'All with an attribute: `#attribute`.',
  },
  'The kind of a role.',
);

/** In an AllOf list, all attributes match together. */
@described('A role that puts an entity in a side of a policy.')
export class MatchedRole {
  @attribute(MATCH_KIND, { description: 'The kind of the role.' })
  readonly kind!: ValueOf<typeof MATCH_KIND>;

  @attribute(text(), {
    description: 'The role as written in the policy: `#all`, `@id`, `#attribute`.',
  })
  readonly role!: string;
}

/** The roles by which a service policy grants a pair. */
class Granting {
  @attribute(id(), { description: 'Id of the policy.' })
  readonly policyId!: string;

  @attribute(SEMANTIC, { description: 'Whether it requires all attributes or any.' })
  readonly semantic!: Semantic;

  @attribute(objects(() => MatchedRole), { description: 'The roles that matched the identity.' })
  readonly identityRoles!: readonly MatchedRole[];

  @attribute(objects(() => MatchedRole), { description: 'The roles that matched the service.' })
  readonly serviceRoles!: readonly MatchedRole[];
}

@described('A service policy that grants a pair, with the roles that matched.')
export class GrantingPolicy extends Granting {
  /** In byte order. */
  @attribute(list(id()), { description: 'Ids of the posture checks that it requires.' })
  readonly postureCheckIds!: readonly string[];
}

@described('A posture check in one live API session.')
class AccessVerdict {
  @attribute(id(), { description: 'Id of the API session.' })
  readonly apiSessionId!: string;

  @attribute(bool(), { description: 'Whether it passes at present.' })
  readonly isPassing!: boolean;

  @attribute(object(() => PostureFailure), {
    nullable: true,
    description: 'The actual and the required values, when it fails.',
  })
  readonly failure!: PostureFailure | null;
}

@described('A posture check of a policy that grants access.')
export class AccessCheck {
  @attribute(id(), { description: 'Id of the posture check.', restName: 'id' })
  readonly postureCheckId!: string;

  @attribute(text(), { description: PAST_NAME, restName: 'name' })
  readonly postureCheckName!: string;

  @attribute(text(), { description: 'Its type.' })
  readonly typeId!: string;

  @attribute(objects(() => AccessVerdict), {
    description: 'Its result in each live API session; empty for the past.',
  })
  readonly verdicts!: readonly AccessVerdict[];
}

@described('A service policy that grants access.')
export class AccessPath extends Granting {
  @attribute(id(), { description: 'Id of the policy.', restName: 'policy.id' })
  override readonly policyId!: string;

  @attribute(text(), { description: PAST_NAME, restName: 'policy.name' })
  readonly policyName!: string;

  @attribute(objects(() => AccessCheck), { description: 'The posture checks that it requires.' })
  readonly postureChecks!: readonly AccessCheck[];
}

/** Gives the paths in byte order of the policy ids. */
export function grantingPaths(
  model: AccessModel,
  identityId: string,
  serviceId: string,
  type: ServicePolicyType,
): GrantingPolicy[] {
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
  const isDirect = !isPending(entity);
  return [
    ...(isDirect && all ? [{ kind: 'ALL' as const, role: EVERYBODY }] : []),
    ...(isDirect && ids.includes(entity.id)
      ? [{ kind: 'ID' as const, role: `@${entity.id}` }]
      : []),
    ...matching.map((name) => ({ kind: 'ATTRIBUTE' as const, role: `#${name}` })),
  ];
}
