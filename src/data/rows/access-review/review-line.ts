import {
  attribute,
  described,
  id,
  objects,
  oneOf,
  text,
  time,
  type ValueOf,
} from '../../../kernel/declare/attribute.js';
import { ACCESS_TYPE } from '../../../kernel/declare/resource.js';

export const DECISION = oneOf(
  'AccessReviewDecision',
  {
    UNDECIDED: 'There is no decision yet, or it was taken back.',
    KEEP: 'The access is to stay.',
    REVOKE: 'The access is to be taken away.',
  },
  'A decision about a line of a review.',
);

export type Decision = ValueOf<typeof DECISION>;

@described('A policy that granted access when the review began.')
export class ReviewedPolicy {
  @attribute(id(), { description: 'Id of the policy.' })
  readonly policyId!: string;

  @attribute(text(), { description: 'Its name when the review began.' })
  readonly policyName!: string;
}

@described(
  'Access of an identity to a service when a review began, and the decision about it. Ids may be those of entities that no longer exist.',
)
export class AccessReviewLine {
  @attribute(id(), { description: 'Id of the identity.' })
  readonly identityId!: string;

  @attribute(text(), { description: 'Name of the identity when the review began.' })
  readonly identityName!: string;

  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(text(), { description: 'Name of the service when the review began.' })
  readonly serviceName!: string;

  @attribute(ACCESS_TYPE, { description: 'Dialing or hosting.' })
  readonly type!: ValueOf<typeof ACCESS_TYPE>;

  @attribute(objects(() => ReviewedPolicy), {
    description: 'The reason: every policy that granted it when the review began.',
  })
  readonly policies!: readonly ReviewedPolicy[];

  @attribute(time(), {
    nullable: true,
    description:
      'When it was last used before the review began; null: not since `usesRecordedSince` of the review.',
  })
  readonly lastUsedAt!: Date | null;

  @attribute(DECISION, { description: 'The decision.' })
  readonly decision!: Decision;

  @attribute(text(), { nullable: true, description: 'The comment on it.' })
  readonly comment!: string | null;

  @attribute(time(), {
    nullable: true,
    description:
      'The end that decisions last gave the role assignments on which the access rests; null: none gave one.',
  })
  readonly assignmentsUntil!: Date | null;

  @attribute(id(), {
    nullable: true,
    description: 'Id of the identity that decided; null without a decision.',
  })
  readonly decidedById!: string | null;

  @attribute(text(), { nullable: true, description: 'Its name of that time.' })
  readonly decidedByName!: string | null;

  @attribute(time(), { nullable: true, description: 'When it was decided.' })
  readonly decidedAt!: Date | null;
}
