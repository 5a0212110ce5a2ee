import { GraphQLJSON } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { failureAttributes } from '../../../trust/posture/index.js';

/** The reasons why posture checks fail. */

/** The type of the check decides which members the values have. */
@ObjectType({ description: 'The reason why a posture check fails.', simpleResolvers: true })
export class PostureFailure {
  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'The actual value on the device, in the form of the type of the check.',
  })
  actualValue!: unknown;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'The value that the check requires, in the form of its type.',
  })
  expectedValue!: unknown;
}

for (const { name, type, description } of failureAttributes) {
  Field(outputType(type, description), { nullable: true, description })(
    PostureFailure.prototype,
    name,
  );
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
