import { Arg, Ctx, ID, Query, Resolver } from 'type-graphql';
import {
  revertChanges,
  RevertedEntity,
  type Reversal as FoundReversal,
} from '../../../inventory/drafts/index.js';
import type { JsonObject } from '../../../base/row.js';
import {
  attribute,
  described,
  id,
  int,
  map,
  object,
  objects,
} from '../../../kernel/declare/attribute.js';
import { may } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { ANALYSIS_COST, Runs } from '../../../kernel/graph/pace.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { readableTypes } from '../../../resources/index.js';
import { ListedChange, MODEL_TYPE } from './what-if-types.js';

@described('A change in the form that `simulate` and `applyChanges` accept.')
class RevertingChange extends ListedChange {
  @attribute(id(), {
    description: 'The `id` of the change: that of the entity.',
    restName: 'id',
  })
  readonly entityId!: string;

  @attribute(map(), {
    nullable: true,
    description: 'The attributes to set; null for a deletion.',
  })
  readonly input!: JsonObject | null;
}

@described('A present revision, for `ifRevisions` of `applyChanges`.')
class EntityRevision {
  @attribute(MODEL_TYPE, { description: 'The kind of entity.' })
  readonly type!: string;

  @attribute(id(), { description: 'Its `id`.', restName: 'id' })
  readonly entityId!: string;

  @attribute(int(), { description: 'Its present revision.' })
  readonly revision!: number;
}

/** The lists are the members of the body of `POST /simulate` and `POST /apply-changes`. */
@described('The changes that undo others.')
class Reversal {
  @attribute(objects(() => RevertingChange), {
    description:
      'The changes, in an order in which they can be applied: one for each entity, and a second one for an entity that has exchanged its name with another.',
  })
  readonly changes!: readonly RevertingChange[];

  @attribute(objects(() => EntityRevision), {
    description: 'The present revisions of the existing entities among them.',
  })
  readonly ifRevisions!: readonly EntityRevision[];

  @attribute(objects(() => RevertedEntity), { description: 'The result for each entity.' })
  readonly entities!: readonly RevertedEntity[];
}

@Resolver()
export class RevertChangesResolver {
  @Rest({
    method: 'POST',
    path: '/revert-changes',
    tag: 'analysis',
    errors: [404, 410],
  })
  @Needs(may('change', 'read'))
  @Runs({ lane: 'background', cost: ANALYSIS_COST })
  @Query(outputType(object(() => Reversal)), {
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
    input: (input as JsonObject | undefined) ?? null,
  })),
  ifRevisions: ifRevisions.map(({ type, id, revision }) => ({ type, entityId: id, revision })),
  entities,
});
