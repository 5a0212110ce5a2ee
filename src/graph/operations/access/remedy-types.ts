import { Field, Int, ObjectType } from 'type-graphql';
import type { Remedy as FoundRemedy } from '../../../access/analysis/index.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { ProposedChange } from './what-if-types.js';

const RemedyKind = enumOf(
  'RemedyKind',
  {
    ADD_ATTRIBUTE: 'The identity or the service gets attributes that the policy selects.',
    ADD_ROLE: 'The policy names the identity or the service by its id.',
  } satisfies Record<FoundRemedy['kind'], string>,
  'The way in which an entity gets into a side of a policy.',
);

@ObjectType({
  description: 'A change that puts an entity in a side of a policy.',
  simpleResolvers: true,
})
export class Remedy {
  @Field(() => RemedyKind, { description: 'The kind of addition.' })
  kind!: string;

  @Field(() => [String], { nullable: true, description: 'For ADD_ATTRIBUTE: the attributes.' })
  attributes!: readonly string[] | null;

  @Field(() => String, {
    nullable: true,
    description: 'For ADD_ROLE: the side of the policy, `identities` or `services`.',
  })
  side!: string | null;

  @Field(() => String, { nullable: true, description: 'For ADD_ROLE: the role.' })
  role!: string | null;

  @Field(() => Int, { description: 'Number of added attributes or roles.' })
  size!: number;

  @Field(() => ProposedChange, { description: 'The change with its effect on access.' })
  change!: ProposedChange;
}
