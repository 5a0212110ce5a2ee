import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, Int, ObjectType, Query, Resolver } from 'type-graphql';
import {
  revertChanges,
  REVERT_OBSTACLES,
  type Reversal as FoundReversal,
  type RevertObstacle as FoundObstacle,
} from '../../../inventory/drafts/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { ANALYSIS_COST, Runs } from '../../../kernel/graph/pace.js';
import { Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { readableTypes } from '../../../resources/index.js';
import { ModelType, WhatIfOperation } from './what-if-types.js';

const RevertObstacleKind = enumOf(
  'RevertObstacleKind',
  REVERT_OBSTACLES,
  'A reason why a change can not be undone exactly.',
);

@ObjectType({
  description: 'A change in the form that `simulate` and `applyChanges` accept.',
  simpleResolvers: true,
})
class RevertingChange {
  @Field(WhatIfOperation, { description: 'The operation.' })
  operation!: string;

  @Field(ModelType, { description: 'The kind of entity.' })
  type!: string;

  @Field(() => ID, { description: 'The `id` of the change: that of the entity.' })
  entityId!: string;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The attributes to set; null for a deletion.',
  })
  input!: object | null;
}

@ObjectType({
  description: 'A present revision, for `ifRevisions` of `applyChanges`.',
  simpleResolvers: true,
})
class EntityRevision {
  @Field(ModelType, { description: 'The kind of entity.' })
  type!: string;

  @Field(() => ID, { description: 'Its `id`.' })
  entityId!: string;

  @Field(() => Int, { description: 'Its present revision.' })
  revision!: number;
}

@ObjectType({
  description: 'A reason why an entity does not come back exactly to its state before.',
  simpleResolvers: true,
})
class RevertObstacle {
  @Field(() => RevertObstacleKind, { description: 'The kind of reason.' })
  kind!: FoundObstacle['kind'];

  @Field(() => String, { description: 'The reason in one sentence.' })
  text!: string;

  @Field(() => [String], { description: 'The attributes that it is about.' })
  fields!: readonly string[];

  @Field(() => [ID], {
    description:
      'Further changes of the log that it is about, as far as the caller may read them; add them to `ids` to undo them as well.',
  })
  changeIds!: readonly string[];
}

@ObjectType({
  description: 'An entity whose changes are to be undone.',
  simpleResolvers: true,
})
class RevertedEntity {
  @Field(() => String, { description: 'Its type, as in the change log.' })
  type!: string;

  @Field(() => ID, { description: 'Its id.' })
  entityId!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its present name or, for an entity that does not exist, its last one.',
  })
  name!: string | null;

  @Field(() => [ID], { description: 'Those of the changes that are about it.' })
  changeIds!: readonly string[];

  @Field(() => [RevertObstacle], {
    description: 'Reasons why it does not come back exactly; empty if it does.',
  })
  obstacles!: readonly FoundObstacle[];
}

@ObjectType({ description: 'The changes that undo others.', simpleResolvers: true })
class Reversal {
  @Field(() => [RevertingChange], {
    description:
      'The changes, in an order in which they can be applied: one for each entity, and a second one for an entity that has exchanged its name with another.',
  })
  changes!: readonly RevertingChange[];

  @Field(() => [EntityRevision], {
    description: 'The present revisions of the existing entities among them.',
  })
  ifRevisions!: readonly EntityRevision[];

  @Field(() => [RevertedEntity], { description: 'The result for each entity.' })
  entities!: readonly RevertedEntity[];
}

/** The lists are the members of the body of `POST /simulate` and `POST /apply-changes`. */
const REVERSAL: RestAnswer = {
  kind: 'data',
  select: `changes { operation type id: entityId input } ifRevisions { type id: entityId revision }
    entities { type entityId name changeIds obstacles { kind text fields changeIds } }`,
};

@Resolver()
export class RevertChangesResolver {
  @Rest({
    method: 'POST',
    path: '/revert-changes',
    tag: 'analysis',
    errors: [404, 410],
    answer: REVERSAL,
  })
  @Needs(may('change', 'read'))
  @Runs({ lane: 'background', cost: ANALYSIS_COST })
  @Query(() => Reversal, {
    description:
      'The changes that undo changes of the log, to be simulated and applied. Nothing is written. Several changes of an entity are undone as one: it gets the values before the first of them. NOT_FOUND for a change of a type that the caller may not read.',
  })
  async revertChanges(
    @Arg('ids', () => [ID], { description: 'Ids of changes of the log, at most 5,000.' })
    ids: string[],
    @Ctx() ctx: RequestContext,
  ): Promise<Reversal> {
    return shown(await revertChanges(ctx, ids, readableTypes(ctx)));
  }
}

const shown = ({ changes, ifRevisions, entities }: FoundReversal): Reversal => ({
  changes: changes.map(({ operation, type, id, input }) => ({
    operation,
    type,
    entityId: id ?? '',
    input: (input as object | undefined) ?? null,
  })),
  ifRevisions: ifRevisions.map(({ type, id, revision }) => ({ type, entityId: id, revision })),
  entities,
});
