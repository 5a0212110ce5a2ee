import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { compareFindings, findings, type FindingKind } from '../../analysis/index.js';
import type { Page } from '../../kernel/connection.js';
import type { RequestContext } from '../../kernel/context.js';
import { Needs } from '../../kernel/needs.js';
import { Runs } from '../../kernel/pace.js';
import { may } from '../../kernel/permissions.js';
import type { PairArguments } from '../analysis/access-list.js';
import { ANALYST } from '../analysis/analyst.js';
import { shownName } from '../analysis/entity-name.js';
import { findingFacts, PAST_FACTS } from '../analysis/finding-facts.js';
import { findingPage, type ShownEntity } from '../analysis/finding-page.js';
import { PastModel, placeIn } from '../analysis/past-model.js';
import { permitAnalysis } from '../analysis/permit-analysis.js';
import { POINT } from '../analysis/point-in-time.js';
import { PairListArgs } from './accesses-types.js';
import { FindingConnection, FindingEntity, FindingKindEnum } from './what-if-types.js';

@Resolver(() => FindingEntity)
export class FindingEntityResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Its name, of a new one too; null of what is not in the network.',
  })
  name(@Root() entity: ShownEntity, @Ctx() ctx: RequestContext): Promise<string | null> {
    return shownName(ctx, entity, entity.kind, entity.id);
  }
}

@Resolver()
export class FindingsResolver {
  @Needs(may('identity', 'read'))
  @Runs({ lane: 'background' })
  @Query(() => FindingConnection, {
    description:
      'What is probably not meant in the network: policies that do nothing, services that nobody reaches, attributes that look misspelt, and more.',
  })
  async findings(
    @Arg('kinds', () => [FindingKindEnum], { nullable: true, description: 'Only of these kinds.' })
    kinds: FindingKind[] | null | undefined,
    @Args(() => PairListArgs) args: PairArguments,
    @Ctx() ctx: RequestContext,
    @Arg('at', () => String, {
      nullable: true,
      description: `As it was then: ${POINT}. What authorities, second factors and terminators have to do with is left out.`,
    })
    at?: string | null,
  ): Promise<Page> {
    permitAnalysis(ctx, 'ca', 'auth-policy');
    const analyst = ctx.modules.get(ANALYST);
    const model = await analyst.modelAt(ctx, at);
    const facts = model instanceof PastModel ? PAST_FACTS : await findingFacts(ctx);
    const found = await analyst.run(findings(model, facts, kinds ?? undefined));
    return findingPage(found, compareFindings, args, { place: placeIn(model) });
  }
}
