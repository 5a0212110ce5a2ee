import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { exportChanges, ExportedChanges } from '../../../inventory/drafts/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { ANALYSIS_COST, EACH_CHANGE, Runs } from '../../../kernel/graph/pace.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { ModelChangeInput } from './what-if-types.js';

@Resolver()
export class ExportChangesResolver {
  @Needs(ADMIN)
  @Runs({ lane: 'background', cost: ANALYSIS_COST, entryCost: EACH_CHANGE })
  @Query(outputType(object(() => ExportedChanges)), {
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
