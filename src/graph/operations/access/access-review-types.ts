import { ArgsType, Field, ID, InputType, ObjectType } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { Decision } from '../../../data/rows/access-review/index.js';
import type { LineDecision } from '../../../access/reviews/index.js';
import { ACCESS } from './access-types.js';
import { PairListArgs } from './accesses-types.js';

/** Types of reviews of access. */

const DecisionEnum = enumOf(
  'AccessReviewDecision',
  {
    UNDECIDED: 'There is no decision yet, or it was taken back.',
    KEEP: 'The access is to stay.',
    REVOKE: 'The access is to be taken away.',
  } satisfies Record<Decision, string>,
  'A decision about a line of a review.',
);

@ObjectType({
  description: 'A policy that granted access when the review began.',
  simpleResolvers: true,
})
export class ReviewedPolicy {
  @Field(() => ID, { description: 'Id of the policy.' })
  policyId!: string;

  @Field(() => String, { description: 'Its name when the review began.' })
  policyName!: string;
}

@ObjectType({
  description:
    'Access of an identity to a service when a review began, and the decision about it. Ids may be those of entities that no longer exist.',
  simpleResolvers: true,
})
export class AccessReviewLine {
  @Field(() => ID, { description: 'Id of the identity.' })
  identityId!: string;

  @Field(() => String, { description: 'Name of the identity when the review began.' })
  identityName!: string;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of the service when the review began.' })
  serviceName!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;

  @Field(() => [ReviewedPolicy], {
    description: 'The reason: every policy that granted it when the review began.',
  })
  policies!: readonly ReviewedPolicy[];

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it was last used before the review began; null: not since `usesRecordedSince` of the review.',
  })
  lastUsedAt!: Date | null;

  @Field(() => DecisionEnum, { description: 'The decision.' })
  decision!: Decision;

  @Field(() => String, { nullable: true, description: 'The comment on it.' })
  comment!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the identity that decided; null without a decision.',
  })
  decidedById!: string | null;

  @Field(() => String, { nullable: true, description: 'Its name of that time.' })
  decidedByName!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was decided.' })
  decidedAt!: Date | null;
}

export const AccessReviewLineConnection = connectionType(
  'AccessReviewLine',
  () => AccessReviewLine,
);

@ArgsType()
export class LineListArgs extends PairListArgs {
  @Field(() => DecisionEnum, { nullable: true, description: 'Only lines with this decision.' })
  decision?: Decision;

  @Field(() => ID, { nullable: true, description: 'Only lines of this identity.' })
  identityId?: string;

  @Field(() => ID, { nullable: true, description: 'Only lines of this service.' })
  serviceId?: string;
}

@InputType({ description: 'A decision about a line of a review.' })
export class LineDecisionInput implements LineDecision {
  @Field(() => ID, { description: 'Id of the identity of the line.' })
  identityId!: string;

  @Field(() => ID, { description: 'Id of the service of the line.' })
  serviceId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: ServicePolicyType;

  @Field(() => DecisionEnum, { description: 'The decision; `UNDECIDED` takes one back.' })
  decision!: Decision;

  @Field(() => String, {
    nullable: true,
    description:
      'A comment of one line, at most 500 characters; absent: the comment of the line stays; null or blank: none.',
  })
  comment?: string | null;
}
