import { Field, Int, ObjectType } from 'type-graphql';
import type { Remedy as FoundRemedy } from '../../../analysis/index.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { ProposedChange } from './what-if-types.js';

const RemedyKind = enumOf(
  'RemedyKind',
  {
    ADD_ATTRIBUTE: 'The identity or the service gets attributes that the policy selects.',
    ADD_ROLE: 'The policy names the identity or the service by its id.',
  } satisfies Record<FoundRemedy['kind'], string>,
  'How an entity gets into a side of a policy.',
);

@ObjectType({
  description: 'A change that has an entity in a side of a policy.',
  simpleResolvers: true,
})
export class Remedy {
  @Field(() => RemedyKind, { description: 'What is added.' })
  kind!: string;

  @Field(() => [String], { nullable: true, description: 'Of ADD_ATTRIBUTE: the attributes.' })
  attributes!: readonly string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'Of ADD_ROLE: the side of the policy, `identities` or `services`.',
  })
  side!: string | null;

  @Field(() => String, { nullable: true, description: 'Of ADD_ROLE: the role.' })
  role!: string | null;

  @Field(() => Int, { description: 'How many attributes or roles are added.' })
  size!: number;

  @Field(() => ProposedChange, { description: 'The change itself, and what else it does.' })
  change!: ProposedChange;
}
