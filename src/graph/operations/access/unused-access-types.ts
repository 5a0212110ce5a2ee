import { ArgsType, Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { ACCESS } from './access-types.js';
import { PairListArgs } from './accesses-types.js';

/** Types of access that nobody used. */

const PolicySide = enumOf(
  'GrantingSide',
  { identities: 'The identity roles.', services: 'The service roles.' },
  'A side of a service policy.',
);

@ObjectType({ description: 'An identity that did not use its access.', simpleResolvers: true })
export class UnusedIdentity {
  @Field(() => ID, { description: 'Id of the identity.' })
  identityId!: string;
}

@ObjectType({ description: 'A service whose access was not used.', simpleResolvers: true })
export class UnusedService {
  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;
}

export const UnusedIdentityConnection = connectionType('UnusedIdentity', () => UnusedIdentity);
export const UnusedServiceConnection = connectionType('UnusedService', () => UnusedService);

@ObjectType({
  description:
    'Roles of a policy that its `changes` keep, although only a part of what they select was used.',
  simpleResolvers: true,
})
export class BroadRoles {
  @Field(() => PolicySide, { description: 'The side of the policy.' })
  side!: string;

  @Field(() => [String], {
    description: 'The role, or all attributes of a list of which members must have all.',
  })
  roles!: readonly string[];

  @Field(() => Int, { description: 'Number of entities that the roles select.' })
  memberCount!: number;

  @Field(() => Int, { description: 'Number of these that take part in a used pair of the policy.' })
  usedMemberCount!: number;

  @Field(() => Int, {
    description:
      'Number of unused pairs that the policy would stop granting without the roles, after its `changes`.',
  })
  unusedCount!: number;

  @Field(() => Int, {
    description: 'Number of used pairs that it would stop granting as well.',
  })
  usedCount!: number;
}

@ObjectType({
  description: 'A service policy with the access that it grants and nobody used.',
  simpleResolvers: true,
})
export class UnusedAccess {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;

  @Field(() => Int, {
    description: 'Number of pairs of an identity and a service that it grants.',
  })
  grantedCount!: number;

  @Field(() => Int, { description: 'Number of these pairs that were not used.' })
  unusedCount!: number;
}

export const UnusedAccessConnection = connectionType('UnusedAccess', () => UnusedAccess);

@ArgsType()
export class UnusedAccessArgs extends PairListArgs {
  @Field(() => DateTime, {
    description:
      'The beginning of the time without use, not before `lastUseRecording.recordedSince`.',
  })
  since!: Date;

  @Field(ACCESS, { nullable: true, description: 'Only this kind of access.' })
  type?: ServicePolicyType;

  @Field(() => String, {
    nullable: true,
    description:
      'Condition in the filter language: only pairs with such an identity count: `tags.team = "sea"`.',
  })
  identityFilter?: string;

  @Field(() => String, { nullable: true, description: 'The same for the service.' })
  serviceFilter?: string;
}
