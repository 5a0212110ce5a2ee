import type { GraphQLResolveInfo } from 'graphql';
import { Finding, muteIn, mustBeFinding, unmuteIn } from '../../../access/analysis/index.js';
import { Arg, Ctx, FieldResolver, ID, Info, Mutation, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { DateTime } from '../../../base/date-time.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { ADMIN, may } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { originOf } from '../../../kernel/write/write.js';
import { FindingMute } from '../../../resources/policies/finding-mute.js';
import type { ShownFinding } from '../../analysis/finding-page.js';
import { readOwn } from '../../own.js';

@Resolver(() => Finding)
export class FindingMuteResolver {
  @RestMember({ select: 'reason mutedUntil updatedAt mutedById mutedBy { id name }' })
  @Needs(may('identity', 'read'))
  @FieldResolver(() => FindingMute, {
    nullable: true,
    description:
      'The reason, the author and the end of its mute; null if it is not muted, in the past and in simulations.',
  })
  async mute(
    @Root() { muteId }: ShownFinding,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'FindingMute'> | null> {
    return muteId === null ? null : ((await readOwn(ctx, 'FindingMute', muteId, info)) ?? null);
  }

  @Rest({
    method: 'POST',
    path: '/findings/{id}/mute',
    tag: 'analysis',
    answer: { kind: 'empty' },
  })
  @Needs(ADMIN)
  @Runs({ lane: 'background' })
  @Mutation(() => FindingMute, {
    description:
      'Leaves a finding out of lists and counts, until a time or until it is unmuted. For a muted finding it updates the reason and the end. NOT_FOUND if the network has no such finding at present.',
  })
  async muteFinding(
    @Arg('id', () => ID, { description: 'Id of the finding.' }) id: string,
    @Arg('reason', () => String, {
      description: 'Reason to accept the finding, at most 1,000 characters.',
    })
    reason: string,
    @Arg('until', () => DateTime, {
      nullable: true,
      description: 'End of the mute, in the future; default: no end.',
    })
    until: Date | null | undefined,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'FindingMute'> | undefined> {
    await mustBeFinding(ctx, id);
    const mute = { findingId: id, reason, until: until ?? null };
    const muteId = await ctx.store.write(originOf(ctx), (tx) => muteIn(ctx, tx, mute));
    return readOwn(ctx, 'FindingMute', muteId, info);
  }

  @Rest({ method: 'POST', path: '/findings/{id}/unmute', tag: 'analysis' })
  @Needs(ADMIN)
  @Mutation(() => ID, {
    description: 'Brings a muted finding back into lists and counts, and gives its id.',
  })
  async unmuteFinding(
    @Arg('id', () => ID, { description: 'Id of the finding.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await ctx.store.write(originOf(ctx), (tx) => unmuteIn(ctx, tx, id));
    return id;
  }
}
