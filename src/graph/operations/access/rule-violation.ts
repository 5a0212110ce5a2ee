import { Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import { shownName, type AccessRule, type NewNames } from '../../../access/analysis/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { RULE_KIND } from '../../../resources/policies/access-rule.js';
import { ACCESS } from './access-types.js';

@ObjectType({ description: 'An access rule that does not hold.', simpleResolvers: true })
export class RuleViolation {
  @Field(() => ID, { description: 'Id of the rule.' })
  ruleId!: string;

  @Field(() => String, { description: 'Name of the rule.' })
  ruleName!: string;

  @Field(outputType(RULE_KIND), { description: 'Whether the rule requires access or forbids it.' })
  ruleKind!: AccessRule['kind'];

  @Field(() => ID, { description: 'Id of the identity of the first pair.' })
  identityId!: string;

  @Field(() => ID, { description: 'Id of the service of the first pair.' })
  serviceId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;

  /** Names of entities that exist only in the simulation. */
  readonly newName?: NewNames;
}

@Resolver(() => RuleViolation)
export class RuleViolationResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the identity.' })
  identityName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'identity', violation.identityId);
  }

  @Needs(may('service', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the service.' })
  serviceName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'service', violation.serviceId);
  }
}
