import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { exportChanges } from '../../../inventory/drafts/index.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { ANALYSIS_COST, EACH_CHANGE, Runs } from '../../../kernel/graph/pace.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { ModelChangeInput } from './what-if-types.js';

@ObjectType({ description: 'A list of changes as a document.', simpleResolvers: true })
class ExportedChanges {
  @Field(() => GraphQLJSONObject, {
    description:
      'Section -> entities, as `importNetwork` takes it: new entities, and of others the members that the changes set.',
  })
  document!: object;

  @Field(() => [String], {
    description:
      'What the document does not hold, such as deletions, new names and enrollments: one line each.',
  })
  omitted!: readonly string[];
}

@Resolver()
export class ExportChangesResolver {
  @Needs(ADMIN)
  @Runs({ lane: 'background', cost: ANALYSIS_COST, entryCost: EACH_CHANGE })
  @Query(() => ExportedChanges, {
    description:
      'The document whose import has the effect of a list of changes. The changes are made by the rules of the mutations, and nothing is written.',
  })
  async exportChanges(
    @Arg('changes', () => [ModelChangeInput], { description: 'The changes, at most 1,000.' })
    changes: ModelChangeInput[],
    @Ctx() ctx: RequestContext,
  ): Promise<ExportedChanges> {
    return exportChanges(ctx, changes);
  }
}
