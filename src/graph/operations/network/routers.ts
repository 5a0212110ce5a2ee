import { Arg, Ctx, ID, Int, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import { remove } from '../../../kernel/write/write.js';
import { findRouterKind } from '../../../resources/router-table.js';

@Resolver()
export class RoutersResolver {
  @Needs(may('router', 'delete'))
  @Mutation(() => ID, { description: 'Deletes a router of either kind and gives its id.' })
  async deleteAnyRouter(
    @Arg('id', () => ID, { description: 'Id of the router.' }) id: string,
    @Arg('ifRevision', () => Int, {
      nullable: true,
      description: 'Refuses with REVISION_CONFLICT if the entity now has another revision.',
    })
    ifRevision: number | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await remove(ctx, await kindOf(ctx, id), id, ifRevision);
    return id;
  }
}

/** Each kind is deleted with its own dependent rows. */
async function kindOf(ctx: RequestContext, id: string): Promise<Resource> {
  const router = await findRouterKind(ctx.store, id);
  if (!router) throw notFound('router', id);
  return ctx.catalog.get(router.is_edge ? 'EdgeRouter' : 'TransitRouter');
}
