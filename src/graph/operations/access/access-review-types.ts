import { ArgsType, Field, ID, InputType } from 'type-graphql';
import {
  AccessReviewLine,
  DECISION,
  type Decision,
} from '../../../data/rows/access-review/index.js';
import { DateTime } from '../../../base/date-time.js';
import type { LineDecision } from '../../../access/reviews/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { connectionType } from '../../../kernel/graph/list-types.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { ACCESS } from './access-types.js';
import { PairListArgs } from './accesses-types.js';

/** Types of reviews of access. */

const DecisionEnum = outputType(DECISION);

export const AccessReviewLineConnection = connectionType(
  'AccessReviewLine',
  outputType(object(() => AccessReviewLine)),
);

@ArgsType()
export class LineListArgs extends PairListArgs {
  @Field(DecisionEnum, { nullable: true, description: 'Only lines with this decision.' })
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

  @Field(DecisionEnum, { description: 'The decision; `UNDECIDED` takes one back.' })
  decision!: Decision;

  @Field(() => String, {
    nullable: true,
    description:
      'A comment of one line, at most 500 characters; absent: the comment of the line stays; null or blank: none.',
  })
  comment?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'With `KEEP`: the new end of the role assignments with an end on which the access rests, not before the present one. Of a grant it is at most the longest duration of the offer from now on. Nobody renews own access; directories and signers decide on what they give.',
  })
  renewUntil?: Date | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'With `REVOKE`: whether the role assignments on which the access rests end now, but for those of directories and signers.',
  })
  endsAssignments?: boolean | null;
}
