import { Field, ID, Int, ObjectType } from 'type-graphql';
import { connectionType } from '../../../kernel/graph/list-types.js';
import { ACCESS } from './access-types.js';
import { ProposedChange } from './what-if-types.js';

/** Types of the changes that take revoked access away. */

@ObjectType({
  description: 'A policy that keeps granting a pair after the changes.',
  simpleResolvers: true,
})
export class KeepingPolicy {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;
}

@ObjectType({
  description: 'A revoked pair that keeps its access after the changes.',
  simpleResolvers: true,
})
export class RemainingAccess {
  @Field(() => ID, { description: 'Id of the identity.' })
  identityId!: string;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;
}

export const RemainingAccessConnection = connectionType('RemainingAccess', () => RemainingAccess);

@ObjectType({
  description:
    'The changes of the present network that take away the access that a review revokes, and what else they do.',
  simpleResolvers: true,
})
export class AccessReviewRevocation {
  @Field(() => Int, { description: 'Number of revoked lines.' })
  revokedCount!: number;

  @Field(() => Int, { description: 'Number of revoked lines that policies grant at present.' })
  grantedCount!: number;

  @Field(() => [ProposedChange], {
    description: [
      'One change of each policy that grants a revoked pair: it deletes the policy, removes roles, or replaces roles by the ids of at most 50 members that stay.',
      'Of the edits that take the revoked pairs away it is one that takes the fewest others. `simulate` accepts up to 1,000 changes.',
    ].join('\n'),
  })
  changes!: readonly ProposedChange[];

  @Field(() => Int, { description: 'Number of pairs that would gain access: none.' })
  gained!: number;

  @Field(() => Int, { description: 'Number of pairs that would lose access.' })
  lost!: number;
}
