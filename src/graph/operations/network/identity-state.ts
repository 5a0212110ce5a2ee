import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, ID, Info, Int, Mutation, Resolver } from 'type-graphql';
import { disableBehindDirectoryIn } from '../../../access/directories/index.js';
import {
  refuseHigherRights,
  setIdentityStateIn,
  type IdentityState,
} from '../../../trust/auth/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { currentRow, originOf } from '../../../kernel/write/write.js';
import { Identity } from '../../../resources/identities/identity.js';
import { readOwn } from '../../own.js';

const MINUTE = 60_000;

@Resolver()
export class IdentityStateResolver {
  @Rest({ method: 'POST', path: '/identities/{id}/disable' })
  @Needs(may('identity', 'update'))
  @Mutation(() => Identity, {
    description: 'Forbids an identity to log in and ends its API sessions.',
  })
  async disableIdentity(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Arg('durationMinutes', () => Int, { description: 'The duration; 0 or less: until enabled.' })
    durationMinutes: number,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'> | undefined> {
    const now = ctx.now();
    const until = durationMinutes > 0 ? new Date(now.getTime() + durationMinutes * MINUTE) : null;
    await setState(ctx, id, { disabledAt: now, disabledUntil: until });
    return readOwn(ctx, 'Identity', id, info);
  }

  @Rest({ method: 'POST', path: '/identities/{id}/enable' })
  @Needs(may('identity', 'update'))
  @Mutation(() => Identity, { description: 'Lets a disabled identity log in again.' })
  async enableIdentity(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'> | undefined> {
    await setState(ctx, id, { disabledAt: null, disabledUntil: null });
    return readOwn(ctx, 'Identity', id, info);
  }
}

async function setState(ctx: RequestContext, id: string, state: IdentityState): Promise<void> {
  const identities = ctx.catalog.resources.Identity;
  await ctx.store.write(originOf(ctx), async (tx) => {
    const current = await currentRow(tx, identities, id);
    refuseHigherRights(ctx, current);
    const isBehind = await disableBehindDirectoryIn(ctx, tx, current, state);
    if (!isBehind) await setIdentityStateIn(ctx, tx, current, state);
  });
}
