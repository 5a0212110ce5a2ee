import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, Info, Int, ObjectType, Query } from 'type-graphql';
import { Resolver, Root } from 'type-graphql';
import { unmutedFindings, type Severity } from '../../../access/analysis/index.js';
import { routers, type RouterState } from '../../../data/rows/router/index.js';
import { may, orOwn, permits, READER } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { Sql } from '../../../base/sql.js';
import { Runs } from '../../../kernel/graph/pace.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { Controller } from '../../../resources/controllers/controller.js';
import { EdgeRouter } from '../../../resources/routers/edge-router.js';
import { permitsFindings } from '../../analysis/permit-analysis.js';
import { readSome } from '../../own.js';
import { within } from './argument-range.js';
import { Summary, summaryOf } from './summary.js';

/**
 * The front page of a console. Its members are computed when a document asks for them; the resolvers
 * of other files add some. It has no `id`, as it is the only object of its type.
 */
export const Overview = emptyClass('Overview');
ObjectType('Overview', {
  description:
    'The state of the network at a glance. Each member is null without the permission to read what it tells.',
})(Overview);

@ObjectType({
  description: 'The number of edge routers in each state; each router has one.',
  simpleResolvers: true,
})
class EdgeRouterStates implements Record<RouterState, number> {
  @Field(() => Int, { description: 'Connected to any controller.' })
  online!: number;

  @Field(() => Int, { description: 'Enrolled, and not connected.' })
  offline!: number;

  @Field(() => Int, { description: 'Disabled by an administrator.' })
  disabled!: number;

  @Field(() => Int, { description: 'Not enrolled yet.' })
  notEnrolled!: number;
}

@ObjectType({
  description: 'The number of findings by their severity, without muted ones.',
  simpleResolvers: true,
})
class FindingCounts implements Record<Lowercase<Severity>, number> {
  @Field(() => Int, { description: 'Findings of severity `HIGH`.' })
  high!: number;

  @Field(() => Int, { description: 'Findings of severity `MEDIUM`.' })
  medium!: number;

  @Field(() => Int, { description: 'Findings of severity `LOW`.' })
  low!: number;
}

const MAX_ROUTERS = 25;
const MAX_CONTROLLERS = 50;

/** Several aliases of the field share the analysis. */
const findingCounts = perRequest(async (ctx): Promise<FindingCounts> => {
  const severities = (await unmutedFindings(ctx)).map(({ severity }) => severity);
  const count = (severity: Severity): number => severities.filter((s) => s === severity).length;
  return { high: count('HIGH'), medium: count('MEDIUM'), low: count('LOW') };
});

@Resolver(() => Overview)
export class OverviewResolver {
  @Needs(READER)
  @Query(() => Overview, {
    description:
      'The state of the network at a glance, for the front page of a console. A document pays only for the members that it asks for.',
  })
  overview(): object {
    return {};
  }

  @FieldResolver(() => Summary, { description: 'The number of entities of each kind.' })
  counts(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Record<string, number>> {
    return summaryOf(ctx, info);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => EdgeRouterStates, {
    nullable: true,
    description: 'The number of edge routers by state.',
  })
  async routers(@Ctx() { caller, store, now }: RequestContext): Promise<EdgeRouterStates | null> {
    if (!permits(caller, may('router', 'read'))) return null;
    const counts = new Map(
      (await routers.countEdgeRouterStates(store, now())).map(({ state, count }) => [state, count]),
    );
    const count = (state: RouterState): number => counts.get(state) ?? 0;
    return {
      online: count('online'),
      offline: count('offline'),
      disabled: count('disabled'),
      notEnrolled: count('notEnrolled'),
    };
  }

  @Needs(may('identity', 'read'))
  @Runs({ lane: 'background' })
  @FieldResolver(() => FindingCounts, {
    nullable: true,
    description:
      'The findings by their severity. It analyses the whole network, which may take longer than all other members.',
  })
  async findings(@Ctx() ctx: RequestContext): Promise<FindingCounts | null> {
    return permitsFindings(ctx) ? findingCounts(ctx) : null;
  }

  @Needs(orOwn(may('controllers', 'read')))
  @FieldResolver(() => [Controller], {
    description: `The controllers of the network by their ids, at most ${String(MAX_CONTROLLERS)}.`,
  })
  controllers(
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Controller'>[]> {
    return readSome(ctx, 'Controller', { limit: MAX_CONTROLLERS }, info);
  }
}

@Resolver(() => EdgeRouterStates)
export class EdgeRouterStatesResolver {
  @Needs(may('router', 'read'))
  @FieldResolver(() => [EdgeRouter], {
    description: 'The first edge routers that are offline, by name.',
  })
  offlineRouters(
    @Root() _: EdgeRouterStates,
    @Arg('first', () => Int, {
      defaultValue: 5,
      description: `The largest number of routers, at most ${String(MAX_ROUTERS)}.`,
    })
    first: number,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'EdgeRouter'>[]> {
    const limit = within('first', first, 1, MAX_ROUTERS);
    const order = [{ field: 'name', direction: 'asc' }] as const;
    const predicate = (alias: string): Sql => routers.isOfflineSql(alias, ctx.now());
    return readSome(ctx, 'EdgeRouter', { predicate, order, limit }, info);
  }
}
