import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { shownName, type NameSources } from '../../../access/analysis/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { may } from '../../../kernel/declare/permissions.js';
import { ReachPair } from './what-if-types.js';

type Pair = ReachPair & NameSources;

/** The names beside the ids. */
@Resolver(() => ReachPair)
export class ReachPairResolver {
  @RestMember({ graphOnly: true })
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the identity.' })
  async identityName(@Root() pair: Pair, @Ctx() ctx: RequestContext): Promise<string | null> {
    const { identityId: id } = pair;
    return id === undefined ? null : shownName(ctx, pair, 'identity', id);
  }

  @RestMember({ graphOnly: true })
  @Needs(may('service', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the service.' })
  async serviceName(@Root() pair: Pair, @Ctx() ctx: RequestContext): Promise<string | null> {
    const { serviceId: id } = pair;
    return id === undefined ? null : shownName(ctx, pair, 'service', id);
  }

  @RestMember({ graphOnly: true })
  @Needs(may('router', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the edge router.' })
  async routerName(@Root() pair: Pair, @Ctx() ctx: RequestContext): Promise<string | null> {
    const { routerId: id } = pair;
    return id === undefined ? null : shownName(ctx, pair, 'edgeRouter', id);
  }
}
