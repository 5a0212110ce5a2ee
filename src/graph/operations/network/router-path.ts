import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  Float,
  ID,
  Info,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { StoredPaths } from '../../../network/fabric/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { Link } from '../../../resources/routers/link.js';
import { Router } from '../../../resources/routers/router.js';

@ObjectType({
  description: 'The cheapest path between two routers, or the reason why there is none.',
  simpleResolvers: true,
})
class RouterPath {
  @Field(() => Float, {
    nullable: true,
    description:
      'Its cost: that of its links, and of its routers after the first; null without a path.',
  })
  cost!: number | null;

  @Field(() => [ID], { description: 'The ids of its routers in order; empty without a path.' })
  routerIds!: readonly string[];

  @Field(() => [ID], { description: 'The ids of the links between them, in this order.' })
  linkIds!: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: 'Why there is no path; null if there is one.',
  })
  reason!: string | null;
}

/** All paths of a document are those of one moment. */
const pathsOf = perRequest(({ store, modules: { presence } }) =>
  StoredPaths.read(store, (id) => presence.router(id) !== undefined),
);

const IN_ORDER = 'in order; null for one that was deleted in this moment.';

@Resolver(() => RouterPath)
export class RouterPathResolver {
  @Needs(may('ops', 'read'))
  @Runs({ lane: 'background' })
  @Query(() => RouterPath, {
    description:
      'The path that a new circuit between two routers would take now: the cheapest one over connected routers and links that are up.',
  })
  async routerPath(
    @Arg('from', () => ID, { description: 'Id of the router of the client.' }) from: string,
    @Arg('to', () => ID, { description: 'Id of the router of the host.' }) to: string,
    @Ctx() ctx: RequestContext,
  ): Promise<RouterPath> {
    const answer = (await pathsOf(ctx)).between(from, to);
    if (answer.path) return { ...answer.path, reason: null };
    return { cost: null, routerIds: [], linkIds: [], reason: answer.reason };
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => [Router], { nullable: 'items', description: `Its routers ${IN_ORDER}` })
  routers(
    @Root() { routerIds }: RouterPath,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<(SelectedOf<'Router'> | undefined)[]> {
    const routers = ctx.catalog.resources.Router;
    return Promise.all(routerIds.map((id) => readEntity(ctx, routers, id, info)));
  }

  @Needs(may('ops', 'read'))
  @FieldResolver(() => [Link], { nullable: 'items', description: `Its links ${IN_ORDER}` })
  links(
    @Root() { linkIds }: RouterPath,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<(SelectedOf<'Link'> | undefined)[]> {
    const links = ctx.catalog.resources.Link;
    return Promise.all(linkIds.map((id) => readEntity(ctx, links, id, info)));
  }
}
