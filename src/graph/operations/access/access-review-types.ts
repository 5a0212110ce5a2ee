import { ArgsType, Field, ID, InputType } from 'type-graphql';
import {
  AccessReviewLine,
  DECISION,
  type Decision,
} from '../../../data/rows/access-review/index.js';
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
}
