import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { SEMANTIC } from '../../../kernel/declare/resource.js';

/** Why posture checks fail. */

@ObjectType({
  description: 'What a check for the second factor looked at.',
  simpleResolvers: true,
})
export class MfaCriteria {
  @Field(() => DateTime, { nullable: true, description: 'When the second factor was given last.' })
  passedMfaAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the device woke up last.' })
  wokenAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the device was unlocked last.' })
  unlockedAt!: string | null;

  @Field(() => Int, { description: 'Seconds that a pass lasts; -1: no end.' })
  timeoutSeconds!: number;

  @Field(() => Int, { description: 'Seconds left; -1: no end.' })
  timeoutRemainingSeconds!: number;
}

/** Which members there are in the values depends on the type of the check. */
@ObjectType({ description: 'Why a posture check fails.', simpleResolvers: true })
export class PostureFailure {
  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'What was found on the device, in the form of the type of the check.',
  })
  actualValue!: unknown;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'What the check wants, in the form of its type.',
  })
  expectedValue!: unknown;

  @Field(outputType(SEMANTIC), {
    nullable: true,
    description: 'Whether all processes are wanted or any, of type PROCESS_MULTI.',
  })
  semantic?: string | null;

  @Field(() => MfaCriteria, { nullable: true, description: 'What was looked at, of type MFA.' })
  criteria?: MfaCriteria | null;
}

@ObjectType({
  description: 'A posture check that failed when a session was refused.',
  simpleResolvers: true,
})
export class CheckFailure extends PostureFailure {
  @Field(() => ID, { description: 'Id of the posture check.' })
  postureCheckId!: string;

  @Field(() => String, { description: 'Its name at that time.' })
  postureCheckName!: string;

  @Field(() => String, { description: 'Its type.' })
  postureCheckType!: string;
}
