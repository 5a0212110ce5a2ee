import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Int,
  Mutation,
  Resolver,
  Root,
} from 'type-graphql';
import { TRUE } from '../../../base/sql.js';
import {
  applyChanges,
  type AppliedChange as MadeChange,
  type ExpectedRevision,
} from '../../../inventory/drafts/index.js';
import { attribute, described, id, int, list, objects } from '../../../kernel/declare/attribute.js';
import { SESSION } from '../../../kernel/declare/permissions.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Node } from '../../../kernel/graph/node.js';
import { ANALYSIS_COST, EACH_CHANGE, Runs } from '../../../kernel/graph/pace.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import { requested } from '../../../kernel/read/selection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { ChangedField } from '../../../resources/controllers/change.js';
import type { AnyEntity } from '../network/node-resolver.js';
import { ListedChange, ModelChangeInput, ModelType } from './what-if-types.js';

@InputType({ description: 'An entity and the revision that the caller has seen.' })
class EntityRevisionInput implements ExpectedRevision {
  @Field(ModelType, { description: 'The kind of entity.' })
  type!: string;

  @Field(() => ID, { description: 'Id of the entity.' })
  id!: string;

  @Field(() => Int, { description: 'Its `revision`.' })
  revision!: number;
}

@described('A change that was made.')
class AppliedChange extends ListedChange {
  @attribute(id(), { description: 'Id of the entity.' })
  readonly entityId!: string;

  @attribute(int(), {
    nullable: true,
    description: 'Revision of the entity after this change; null for a deleted one.',
  })
  readonly revision!: number | null;

  @attribute(objects(() => ChangedField), {
    description: 'The members of the entity that differ, without secrets.',
  })
  readonly fields!: readonly ChangedField[];

  @attribute(list(id()), {
    description:
      'Ids of its changes in the change log. One change has several if it alters other entities as well, such as the policies that named a deleted identity. `revertChanges` accepts them.',
  })
  readonly changeIds!: readonly string[];
}

@Resolver(() => AppliedChange)
export class ApplyChangesResolver {
  @Rest({
    method: 'POST',
    path: '/apply-changes',
    tag: 'analysis',
    errors: [404, 409, 412],
  })
  @Needs(SESSION)
  @Runs({ lane: 'background', cost: ANALYSIS_COST, entryCost: EACH_CHANGE })
  @Mutation(outputType(objects(() => AppliedChange)), {
    description: [
      'Makes changes in their order, in one transaction: all of them or, if one is refused, none.',
      'A creation that an earlier change names is made before that change, and a deletion before that of an entity that it holds back.',
      'It takes the list that `simulate` takes, and has the rules of the mutations: each change needs the permission of its mutation, and fields of errors begin with the place of the change.',
      'An access rule refuses the list as a whole; the header `overgraph-override-reason` overrides the rules, `reason` does not.',
    ].join('\n'),
  })
  async applyChanges(
    @Arg('changes', () => [ModelChangeInput], { description: 'The changes, at most 1,000.' })
    changes: ModelChangeInput[],
    @Arg('ifRevisions', () => [EntityRevisionInput], {
      nullable: true,
      description:
        'At most 1,000 entities: refuse with REVISION_CONFLICT if one of them has another revision or does not exist. The caller needs the permission to read an entity that no change names.',
    })
    ifRevisions: EntityRevisionInput[] | null | undefined,
    @Arg('reason', () => String, {
      nullable: true,
      description:
        'The reason of the changes for the change log: one line, at most 500 characters.',
    })
    reason: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<MadeChange[]> {
    return applyChanges(ctx, {
      changes,
      ifRevisions: ifRevisions ?? [],
      reason: reason ?? undefined,
    });
  }

  /** The caller may write the entity, so the caller may see it, as after a mutation. */
  @FieldResolver(() => Node, {
    nullable: true,
    description: 'The entity as it is now; null if it does not exist any more.',
  })
  async entity(
    @Root() { resource, entityId, operation }: MadeChange,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AnyEntity | null> {
    if (operation === 'delete') return null;
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const request = { resource, columns, id: entityId, visible: () => TRUE };
    const row = await ctx.reader.entity(request);
    return row ? { ...row, __typename: resource.name } : null;
  }
}
