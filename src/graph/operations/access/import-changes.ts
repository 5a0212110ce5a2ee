import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PlannedChanges } from '../../../inventory/transfer/index.js';
import { ModelType, WhatIfOperation } from './what-if-types.js';

/** The longest list of changes that a client may apply. */
const MAX_LISTED = 1_000;

@ObjectType({
  description: 'A change of an import, in the form that `simulate` and `applyChanges` accept.',
  simpleResolvers: true,
})
class ImportChange {
  @Field(WhatIfOperation, { description: 'The operation: `create` or `update`.' })
  operation!: string;

  @Field(ModelType, { description: 'The kind of entity.' })
  type!: string;

  @Field(() => ID, {
    description:
      'The `id` of the change. A new entity gets the same one from the same document, unless an entity has that id.',
  })
  entityId!: string;

  @Field(() => String, { description: 'Name of the entity.' })
  name!: string;

  @Field(() => Int, { nullable: true, description: 'Its present revision; null for a new entity.' })
  revision!: number | null;

  @Field(() => GraphQLJSONObject, {
    description: 'The attributes of a new entity; of another one those that differ.',
  })
  input!: object;
}

@ObjectType({ description: 'An import as a list of changes.', simpleResolvers: true })
export class ImportChanges {
  @Field(() => [ImportChange], {
    description: 'The first 1,000 changes, in their order; empty if the document has faults.',
  })
  nodes!: readonly ImportChange[];

  @Field(() => Int, { description: 'Number of all these changes.' })
  totalCount!: number;

  @Field(() => [String], {
    description:
      'What else the import would write, the first 1,000 in one line each: lists of changes can not contain it.',
  })
  unlisted!: readonly string[];
}

export const importChanges = ({ changes, unlisted }: PlannedChanges): ImportChanges => ({
  nodes: changes
    .slice(0, MAX_LISTED)
    .map(({ id, ...change }): ImportChange => ({ ...change, entityId: id })),
  totalCount: changes.length,
  unlisted: unlisted.slice(0, MAX_LISTED),
});
