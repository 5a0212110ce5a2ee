import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { shownName, type AccessRule, type NewNames } from '../../../access/analysis/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { attribute, described, id, text } from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { RULE_KIND } from '../../../resources/policies/access-rule.js';

@described('An access rule that does not hold.')
export class RuleViolation {
  @attribute(id(), { description: 'Id of the rule.' })
  readonly ruleId!: string;

  @attribute(text(), { description: 'Name of the rule.', graphOnly: true })
  readonly ruleName!: string;

  @attribute(RULE_KIND, {
    description: 'Whether the rule requires access or forbids it.',
    graphOnly: true,
  })
  readonly ruleKind!: AccessRule['kind'];

  @attribute(id(), { description: 'Id of the identity of the first pair.' })
  readonly identityId!: string;

  @attribute(id(), { description: 'Id of the service of the first pair.' })
  readonly serviceId!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ServicePolicyType;

  /** Names of entities that exist only in the simulation. */
  readonly newName?: NewNames;
}

@Resolver(() => RuleViolation)
export class RuleViolationResolver {
  @RestMember({ graphOnly: true })
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the identity.' })
  identityName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'identity', violation.identityId);
  }

  @RestMember({ graphOnly: true })
  @Needs(may('service', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the service.' })
  serviceName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'service', violation.serviceId);
  }
}
