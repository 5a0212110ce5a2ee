import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Obstacle } from '../../../analysis/index.js';
import { enumOf, outputType } from '../../../kernel/graph/graphql-types.js';
import { ACCESS_TYPE, SEMANTIC as SEMANTIC_TYPE } from '../../../kernel/declare/resource.js';
import { PostureFailure } from '../posture/posture-failure-types.js';

/** Answers about who reaches what, and why. */

const SEMANTIC = outputType(SEMANTIC_TYPE);
/** Dialing or hosting. */
export const ACCESS = outputType(ACCESS_TYPE);

const AccessObstacle = enumOf(
  'AccessObstacle',
  {
    NO_POLICY: 'No service policy grants it.',
    POSTURE: 'A posture check fails on every path that grants it.',
    NO_COMMON_ROUTER: 'No edge router is for both the identity and the service.',
    NONE_ONLINE: 'No edge router that is for both is online.',
    IDENTITY_DISABLED: 'The identity is disabled.',
    NO_TERMINATORS: 'Nobody hosts the service.',
  } satisfies Record<Obstacle, string>,
  'Why a session for a service would fail.',
);

const MatchKind = enumOf(
  'MatchKind',
  {
    ALL: 'Every entity of the kind: `#all`.',
    ID: 'One entity by its id: `@id`.',
    ATTRIBUTE: 'All with an attribute: `#attribute`.',
  },
  'What a role names.',
);

/*
 * What is told of an entity here depends on the question (on the pair, on the point of time), so it
 * never carries the `id` by which caches of clients recognise the entity: `policyId` beside `policy`.
 */

/** A policy, with the name that it has or had. */
@ObjectType({ simpleResolvers: true })
abstract class NamedPolicy {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;

  @Field(() => String, {
    description: 'Its name, as it was then where the past is asked about; empty when not known.',
  })
  policyName!: string;
}

@ObjectType({
  description: 'An edge router policy that lets a router be used.',
  simpleResolvers: true,
})
export class AccessEdgeRouterPolicy extends NamedPolicy {}

@ObjectType({
  description: 'A service edge router policy that lets a router be used.',
  simpleResolvers: true,
})
export class AccessServiceEdgeRouterPolicy extends NamedPolicy {}

@ObjectType({
  description: 'A role that has an entity in a side of a policy.',
  simpleResolvers: true,
})
class MatchedRole {
  @Field(() => MatchKind, { description: 'What it names.' })
  kind!: string;

  @Field(() => String, {
    description: 'The role as the policy has it: `#all`, `@id`, `#attribute`.',
  })
  role!: string;
}

@ObjectType({ description: 'A posture check in one live API session.', simpleResolvers: true })
class AccessVerdict {
  @Field(() => ID, { description: 'Id of the API session.' })
  apiSessionId!: string;

  @Field(() => Boolean, { description: 'Whether it passes now.' })
  isPassing!: boolean;

  @Field(() => PostureFailure, {
    nullable: true,
    description: 'What was found and wanted, when it fails.',
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
    description: 'Its name, as it was then where the past is asked about; empty when not known.',
  })
  postureCheckName!: string;

  @Field(() => String, { description: 'Its type.' })
  typeId!: string;

  @Field(() => [AccessVerdict], {
    description: 'How it stands in each live API session; none of the past.',
  })
  verdicts!: readonly AccessVerdict[];
}

/** How a service policy grants a pair. */
@ObjectType({ simpleResolvers: true })
export abstract class Granting {
  @Field(SEMANTIC, { description: 'Whether all its attributes are wanted or any.' })
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
    description: 'Its name, as it was then where the past is asked about; empty when not known.',
  })
  policyName!: string;

  @Field(() => [AccessCheck], { description: 'The posture checks that it asks for.' })
  postureChecks!: readonly AccessCheck[];
}

@ObjectType({
  description: 'A router with the policies that let it be used.',
  simpleResolvers: true,
})
export class AccessRouter {
  @Field(() => ID, { description: 'Id of the router.' })
  routerId!: string;

  @Field(() => String, {
    description: 'Its name, as it was then where the past is asked about; empty when not known.',
  })
  routerName!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it is connected now; null of the past.',
  })
  isOnline!: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether it may not connect; null of the past.',
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
  @Field(() => [AccessRouter], { description: 'Those that the identity may use.' })
  identitySide!: readonly AccessRouter[];

  @Field(() => [AccessRouter], { description: 'Those that the service may use.' })
  serviceSide!: readonly AccessRouter[];

  @Field(() => [AccessRouter], { description: 'Those that both may use.' })
  common!: readonly AccessRouter[];
}

@ObjectType({
  description: 'What keeps an entity out of a side of a policy.',
  simpleResolvers: true,
})
export class MissingSide {
  @Field(() => [String], { description: 'The attributes of the role list that it lacks.' })
  missingAttributes!: readonly string[];
}

@ObjectType({ description: 'A policy that does not grant access.', simpleResolvers: true })
export class NearestMiss extends NamedPolicy {
  @Field(SEMANTIC, { description: 'Whether all its attributes are wanted or any.' })
  semantic!: string;

  @Field(() => Int, { description: 'The least number of changes that make it grant access.' })
  changes!: number;

  @Field(() => MissingSide, { nullable: true, description: 'Null: the identity is in it.' })
  identitySide!: MissingSide | null;

  @Field(() => MissingSide, { nullable: true, description: 'Null: the service is in it.' })
  serviceSide!: MissingSide | null;
}

@ObjectType({
  description: 'Policies that come near, fewest changes first.',
  simpleResolvers: true,
})
class NearestMisses {
  @Field(() => [NearestMiss], { description: 'The first of them.' })
  nodes!: readonly NearestMiss[];

  @Field(() => Int, { description: 'How many policies of the type do not grant access.' })
  totalCount!: number;
}

@ObjectType({
  description: 'Why an identity reaches a service, or does not.',
  simpleResolvers: true,
})
export class Access {
  @Field(() => Boolean, { description: 'Whether policies grant it; obstacles may be in the way.' })
  allowed!: boolean;

  @Field(() => [AccessPath], { description: 'Every policy that grants it.' })
  paths!: readonly AccessPath[];

  @Field(() => AccessRouters, { description: 'The routers in between.' })
  routers!: AccessRouters;

  @Field(() => [AccessObstacle], {
    description: 'Why it is not usable, as far as policies say it for the past; none when it is.',
  })
  obstacles!: readonly string[];

  @Field(() => NearestMisses, { description: 'The policies that come nearest to granting it.' })
  nearestMisses!: NearestMisses;
}
