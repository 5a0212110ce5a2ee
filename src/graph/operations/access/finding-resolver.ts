import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import {
  compareFindings,
  Finding,
  FINDING_KIND,
  FindingEntity,
  findingId,
  findings,
  type FindingKind,
  SEVERITY,
  type Severity,
  shownName,
  findingFacts,
  factsAbout,
  mutesInForce,
  withoutMuted,
  PresentModel,
  placeIn,
  POINT,
} from '../../../access/analysis/index.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { list, object, objects } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Rest, type Columns } from '../../../kernel/graph/rest-operation.js';
import { FINDINGS_COST, Runs } from '../../../kernel/graph/pace.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { PairArguments } from '../../analysis/access-list.js';

import {
  findingPage,
  shownFinding,
  type ShownChange,
  type ShownEntity,
  type ShownFinding,
  type WithEffect,
} from '../../analysis/finding-page.js';
import { FINDING_ENTITIES } from '../../analysis/permit-analysis.js';
import { PairListArgs } from './accesses-types.js';
import { FindingConnection, GAINED, LOST, ProposedChange } from './what-if-types.js';

@Resolver(() => FindingEntity)
export class FindingEntityResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Its name, also in a simulation; null if it does not exist.',
  })
  name(@Root() entity: ShownEntity, @Ctx() ctx: RequestContext): Promise<string | null> {
    return shownName(ctx, entity, entity.kind, entity.entityId);
  }
}

const ALONE = ', by this change alone.';

@Resolver(() => Finding)
export class FindingEffectResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: `${GAINED}, by all its changes together.` })
  async gained(@Root() { effect }: WithEffect): Promise<number> {
    return (await effect()).gained;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: `${LOST}, by all its changes together.` })
  async lost(@Root() { effect }: WithEffect): Promise<number> {
    return (await effect()).lost;
  }

  @FieldResolver(outputType(objects(() => ProposedChange)), {
    description: 'The changes that resolve it; empty if no change certainly does.',
  })
  changes(@Root() { changes }: ShownFinding): readonly ShownChange[] {
    return changes;
  }
}

@Resolver(() => ProposedChange)
export class ProposedChangeResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: GAINED + ALONE })
  async gained(@Root() { effect }: WithEffect): Promise<number> {
    return (await effect()).gained;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: LOST + ALONE })
  async lost(@Root() { effect }: WithEffect): Promise<number> {
    return (await effect()).lost;
  }
}

const COLUMNS: Columns = {
  kind: 'kind',
  severity: 'severity',
  entityKind: 'entities.0.kind',
  entityId: 'entities.0.id',
  entity: 'entities.0.name',
  text: 'text',
  id: 'id',
};

@Resolver()
export class FindingsResolver {
  @Rest({
    method: 'GET',
    path: '/findings',
    operationId: 'listFindings',
    tag: 'analysis',
    errors: [410],
    answer: { kind: 'list', columns: COLUMNS },
  })
  @Needs(may('identity', 'read'))
  @AlsoReads(...FINDING_ENTITIES)
  @Runs({ lane: 'background', cost: FINDINGS_COST })
  @Query(() => FindingConnection, {
    description:
      'Probable mistakes in the network: policies without effect, services that no identity reaches, attributes that look misspelt, and more. Muted findings are left out of the list and of `totalCount`.',
  })
  async findings(
    @Arg('kinds', outputType(list(FINDING_KIND)), {
      nullable: true,
      description: 'Only findings of these kinds.',
    })
    kinds: FindingKind[] | null | undefined,
    @Args(() => PairListArgs) args: PairArguments,
    @Ctx() ctx: RequestContext,
    @Arg('at', () => String, {
      nullable: true,
      description: `The point in time: ${POINT}. The answer then leaves out ends of role assignments and, for the past, findings about authorities, second factors and terminators.`,
    })
    at?: string | null,
    @Arg('includeMuted', () => Boolean, {
      nullable: true,
      description:
        'Whether to include muted findings; default: false. Lists of other times always include them.',
    })
    includeMuted?: boolean | null,
    @Arg('severities', outputType(list(SEVERITY)), {
      nullable: true,
      description: 'Only findings of these severities.',
    })
    severities?: Severity[] | null,
  ): Promise<Page> {
    const analyst = ctx.modules.analyst;
    const model = await analyst.modelAt(ctx, at);
    const facts = await factsAbout(ctx, model);
    const allFindings = await analyst.run(findings(model, facts, kinds ?? undefined));
    const mutes = model instanceof PresentModel ? await mutesInForce(ctx) : undefined;
    const unhidden =
      mutes && !includeMuted ? await withoutMuted(ctx, allFindings, mutes) : allFindings;
    const listed = unhidden.filter(({ severity }) => severities?.includes(severity) ?? true);
    const place = placeIn(model);
    return findingPage(listed, compareFindings, args, { analyst, model, place, mutes });
  }

  @Needs(may('identity', 'read'))
  @AlsoReads(...FINDING_ENTITIES)
  @Runs({ lane: 'background', cost: FINDINGS_COST })
  @Query(outputType(object(() => Finding)), {
    nullable: true,
    description: 'A finding of the present network, also a muted one; null when it has gone.',
  })
  async finding(
    @Arg('id', () => ID, { description: 'The `findingId` of the finding.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<ShownFinding | null> {
    const analyst = ctx.modules.analyst;
    const model = await analyst.modelAt(ctx, undefined);
    const all = await analyst.run(findings(model, await findingFacts(ctx)));
    const found = all.find((finding) => findingId(finding) === id);
    if (!found) return null;
    const mutes = await mutesInForce(ctx);
    return shownFinding(found, { analyst, model, place: placeIn(model), mutes });
  }
}
