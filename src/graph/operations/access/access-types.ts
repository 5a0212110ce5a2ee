import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Obstacle } from '../../../access/analysis/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { enumOf, outputType } from '../../../kernel/graph/graphql-types.js';
import { ACCESS_TYPE, SEMANTIC as SEMANTIC_TYPE } from '../../../kernel/declare/resource.js';
import { PostureFailure } from '../../../trust/posture/index.js';

/** Types of answers about access and its reasons. */

const SEMANTIC = outputType(SEMANTIC_TYPE);
/** Dialing or hosting. */
export const ACCESS = outputType(ACCESS_TYPE);

const AccessObstacle = enumOf(
  'AccessObstacle',
  {
    NO_POLICY: 'No service policy grants it.',
    POSTURE: 'A posture check fails on every path that grants it.',
    NO_COMMON_ROUTER: 'The identity and the service have no edge router in common.',
    NONE_ONLINE: 'No common edge router is online.',
    IDENTITY_DISABLED: 'The identity is disabled.',
    NO_TERMINATORS: 'No terminator hosts the service.',
  } satisfies Record<Obstacle, string>,
  'A reason why a session for a service would fail.',
);

const MatchKind = enumOf(
  'MatchKind',
  {
    ALL: 'Every entity of the kind: `#all`.',
    ID: 'One entity by its id: `@id`.',
    ATTRIBUTE: 'All with an attribute: `#attribute`.',
  },
  'The kind of a role.',
);

/*
 * These values of an entity depend on the question (the pair, the time), so the types never have the
 * `id` by which caches of clients recognise the entity: `policyId` beside `policy`.
 */

/** A policy with its present or past name. */
@ObjectType({ simpleResolvers: true })
abstract class NamedPolicy {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;

  @Field(() => String, {
    description: 'Its name at the requested time; empty if unknown.',
  })
  policyName!: string;
}

@ObjectType({
  description: 'An edge router policy that allows the use of a router.',
  simpleResolvers: true,
})
export class AccessEdgeRouterPolicy extends NamedPolicy {}

@ObjectType({
  description: 'A service edge router policy that allows the use of a router.',
  simpleResolvers: true,
})
export class AccessServiceEdgeRouterPolicy extends NamedPolicy {}

@ObjectType({
  description: 'A role that puts an entity in a side of a policy.',
  simpleResolvers: true,
})
class MatchedRole {
  @Field(() => MatchKind, { description: 'The kind of the role.' })
  kind!: string;

  @Field(() => String, {
    description: 'The role as written in the policy: `#all`, `@id`, `#attribute`.',
  })
  role!: string;
}

@ObjectType({ description: 'A posture check in one live API session.', simpleResolvers: true })
class AccessVerdict {
  @Field(() => ID, { description: 'Id of the API session.' })
  apiSessionId!: string;

  @Field(() => Boolean, { description: 'Whether it passes at present.' })
  isPassing!: boolean;

  @Field(outputType(object(() => PostureFailure)), {
    nullable: true,
    description: 'The actual and the required values, when it fails.',
  })
  failure!: PostureFailure | null;
}

@ObjectType({
  description: 'A posture check of a policy that grants access.',
  simpleResolvers: true,
})
export class AccessCheck {
  @Field(() => ID, { description: 'Id of the posture check.' })
  postureCheckId!: string;

  @Field(() => String, {
    description: 'Its name at the requested time; empty if unknown.',
  })
  postureCheckName!: string;

  @Field(() => String, { description: 'Its type.' })
  typeId!: string;

  @Field(() => [AccessVerdict], {
    description: 'Its result in each live API session; empty for the past.',
  })
  verdicts!: readonly AccessVerdict[];
}

/** The roles by which a service policy grants a pair. */
@ObjectType({ simpleResolvers: true })
export abstract class Granting {
  @Field(SEMANTIC, { description: 'Whether it requires all attributes or any.' })
  semantic!: string;

  @Field(() => [MatchedRole], { description: 'The roles that matched the identity.' })
  identityRoles!: readonly MatchedRole[];

  @Field(() => [MatchedRole], { description: 'The roles that matched the service.' })
  serviceRoles!: readonly MatchedRole[];
}

@ObjectType({ description: 'A service policy that grants access.', simpleResolvers: true })
export class AccessPath extends Granting {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;

  @Field(() => String, {
    description: 'Its name at the requested time; empty if unknown.',
  })
  policyName!: string;

  @Field(() => [AccessCheck], { description: 'The posture checks that it requires.' })
  postureChecks!: readonly AccessCheck[];
}

@ObjectType({
  description: 'A router with the policies that allow its use.',
  simpleResolvers: true,
})
export class AccessRouter {
  @Field(() => ID, { description: 'Id of the router.' })
  routerId!: string;

  @Field(() => String, {
    description: 'Its name at the requested time; empty if unknown.',
  })
  routerName!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is connected at present; null for the past.',
  })
  isOnline!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is forbidden to connect; null for the past.',
  })
  isDisabled!: boolean | null;

  @Field(() => [AccessEdgeRouterPolicy], {
    description: 'Edge router policies, on the side of the identity.',
  })
  edgeRouterPolicies!: readonly AccessEdgeRouterPolicy[];

  @Field(() => [AccessServiceEdgeRouterPolicy], {
    description: 'Service edge router policies, on the side of the service.',
  })
  serviceEdgeRouterPolicies!: readonly AccessServiceEdgeRouterPolicy[];
}

@ObjectType({
  description: 'The routers between an identity and a service.',
  simpleResolvers: true,
})
class AccessRouters {
  @Field(() => [AccessRouter], { description: 'Routers that the identity may use.' })
  identitySide!: readonly AccessRouter[];

  @Field(() => [AccessRouter], { description: 'Routers that the service may use.' })
  serviceSide!: readonly AccessRouter[];

  @Field(() => [AccessRouter], { description: 'Routers that both may use.' })
  common!: readonly AccessRouter[];
}

@ObjectType({
  description: 'The reasons why an entity is not in a side of a policy.',
  simpleResolvers: true,
})
export class MissingSide {
  @Field(() => [String], { description: 'The attributes of the role list that the entity lacks.' })
  missingAttributes!: readonly string[];
}

@ObjectType({ description: 'A policy that does not grant access.', simpleResolvers: true })
export class NearestMiss extends NamedPolicy {
  @Field(SEMANTIC, { description: 'Whether it requires all attributes or any.' })
  semantic!: string;

  @Field(() => Int, { description: 'The least number of changes after which it grants access.' })
  changes!: number;

  @Field(() => MissingSide, {
    nullable: true,
    description: 'Null if the identity is in this side.',
  })
  identitySide!: MissingSide | null;

  @Field(() => MissingSide, { nullable: true, description: 'Null if the service is in this side.' })
  serviceSide!: MissingSide | null;
}

@ObjectType({
  description: 'Policies that nearly grant access, fewest changes first.',
  simpleResolvers: true,
})
class NearestMisses {
  @Field(() => [NearestMiss], { description: 'The first of these policies.' })
  nodes!: readonly NearestMiss[];

  @Field(() => Int, { description: 'Number of policies of the type that do not grant access.' })
  totalCount!: number;
}

@ObjectType({
  description: 'Why an identity reaches a service, or does not.',
  simpleResolvers: true,
})
export class Access {
  @Field(() => Boolean, {
    description: 'Whether policies grant it; obstacles may still prevent its use.',
  })
  allowed!: boolean;

  @Field(() => [AccessPath], { description: 'Every policy that grants it.' })
  paths!: readonly AccessPath[];

  @Field(() => AccessRouters, { description: 'The routers between identity and service.' })
  routers!: AccessRouters;

  @Field(() => [AccessObstacle], {
    description:
      'The reasons why the service is not usable, for the past from policies alone; empty if it is usable.',
  })
  obstacles!: readonly string[];

  @Field(() => NearestMisses, { description: 'The policies nearest to granting it.' })
  nearestMisses!: NearestMisses;
}
