import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql';
import { AccessRequestEffect, approvalEffect } from '../../../access/requests/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { currentRow, originOf, patchIn } from '../../../kernel/write/write.js';
import { Identity } from '../../../resources/identities/identity.js';
import { ACCESS_ENTITIES } from '../../analysis/permit-analysis.js';
import { readOwn } from '../../own.js';

/** It reads the access of one identity before and after. */
const EFFECT_COST = 500;

const Effect = outputType(object(() => AccessRequestEffect));

/** Identities that wait for their approval. To refuse one is to delete it. */
@Resolver()
export class PendingIdentityResolver {
  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Runs({ lane: 'background', cost: EFFECT_COST })
  @Query(Effect, {
    description:
      'What the approval of an identity that is pending would give it, and the access rules that refuse it.',
  })
  approvalEffect(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<AccessRequestEffect> {
    return approvalEffect(ctx, id);
  }

  @Rest({ method: 'POST', path: '/identities/{id}/approve' })
  @Needs(may('identity', 'update'))
  @Mutation(() => Identity, {
    description:
      'Approves an identity that is pending: from now on policies select it by all that it has. Another one stays as it is.',
  })
  async approveIdentity(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'> | undefined> {
    const identities = ctx.catalog.resources.Identity;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const current = await currentRow(tx, identities, id);
      if (current.isPending) await patchIn(tx, identities, current, { isPending: false });
    });
    return readOwn(ctx, 'Identity', id, info);
  }
}
