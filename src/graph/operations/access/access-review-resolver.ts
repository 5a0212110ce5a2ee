import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import type { JsonObject } from '../../../base/row.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { RowOf, SelectedOf } from '../../../kernel/declare/rows.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { Rest, type Columns } from '../../../kernel/graph/rest-operation.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { AccessReviewLine } from '../../../data/rows/access-review/index.js';
import { AccessReview } from '../../../resources/policies/access-review.js';
import {
  decideReview,
  finishReview,
  MAX_LINES,
  startReview,
  type NewReview,
} from '../../../access/reviews/index.js';
import { linesPage, mustBeReview, permitLines } from '../../analysis/review-lines.js';
import { readOwn } from '../../own.js';
import {
  AccessReviewLineConnection,
  LineDecisionInput,
  LineListArgs,
} from './access-review-types.js';
import { ACCESS } from './access-types.js';

type Selected = Promise<SelectedOf<'AccessReview'> | undefined>;

@ArgsType()
class NewReviewArgs implements NewReview {
  @Field(() => String, { description: 'Unique in its collection, compared by bytes.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'The purpose of the review.' })
  description?: string;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Free names with values of null, string, number or boolean.',
  })
  tags?: JsonObject;

  @Field(ACCESS, { nullable: true, description: 'The kind of access to review; default: both.' })
  type?: ServicePolicyType;

  @Field(() => String, {
    nullable: true,
    description:
      'Condition on the identities in the filter language: `tags.team = "sea"`; default: all.',
  })
  identityFilter?: string;

  @Field(() => String, { nullable: true, description: 'The same for the services.' })
  serviceFilter?: string;
}

const LINE_COLUMNS: Columns = {
  identityId: 'identityId',
  identity: 'identityName',
  serviceId: 'serviceId',
  service: 'serviceName',
  type: 'type',
  policyIds: ({ policies }: AccessReviewLine) => policies.map((p) => p.policyId).join(' '),
  policies: ({ policies }: AccessReviewLine) => policies.map((p) => p.policyName).join('; '),
  lastUsedAt: 'lastUsedAt',
  decision: 'decision',
  comment: 'comment',
  decidedById: 'decidedById',
  decidedBy: 'decidedByName',
  decidedAt: 'decidedAt',
  assignmentsUntil: 'assignmentsUntil',
};

@Resolver()
export class AccessReviewResolver {
  @Rest({
    method: 'POST',
    path: '/access-reviews',
    tag: 'access-reviews',
    answer: { kind: 'created', collection: 'access-reviews' },
  })
  @Needs(may('access-review', 'create'))
  // One for each line that it may store.
  @Runs({ lane: 'background', isLong: true, cost: MAX_LINES })
  @Mutation(() => AccessReview, {
    description: [
      'Begins a review with the access of this moment: who reaches the chosen services, or what the chosen identities reach.',
      'Each line has the policies that grant it and its last use. A review has at most 100,000 lines.',
    ].join('\n'),
  })
  async startAccessReview(
    @Args(() => NewReviewArgs) args: NewReviewArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    permitLines(ctx);
    return readOwn(ctx, 'AccessReview', await startReview(ctx, args), info);
  }

  @Rest({
    method: 'POST',
    path: '/access-reviews/{id}/decisions',
    operationId: 'decideAccessReview',
    answer: { kind: 'empty' },
  })
  @Needs(may('access-review', 'update'))
  @Mutation(() => AccessReview, {
    description:
      'Stores decisions about lines of an open review, all of them or, if one is refused, none. Fields of errors begin with the place of the decision.',
  })
  async decideAccessReview(
    @Arg('id', () => ID, { description: 'Id of the review.' }) id: string,
    @Arg('decisions', () => [LineDecisionInput], {
      description: 'The decisions, at most 1,000.',
    })
    decisions: LineDecisionInput[],
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    permitLines(ctx);
    await decideReview(ctx, id, decisions);
    return readOwn(ctx, 'AccessReview', id, info);
  }

  @Rest({
    method: 'POST',
    path: '/access-reviews/{id}/finish',
    answer: { kind: 'empty' },
  })
  @Needs(may('access-review', 'update'))
  @Mutation(() => AccessReview, {
    description:
      'Finishes a review all of whose lines are decided. Nothing of it changes any more; it can only be deleted.',
  })
  async finishAccessReview(
    @Arg('id', () => ID, { description: 'Id of the review.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    await finishReview(ctx, id);
    return readOwn(ctx, 'AccessReview', id, info);
  }

  @Rest({
    method: 'GET',
    path: '/access-reviews/{id}/lines',
    operationId: 'listAccessReviewLines',
    answer: { kind: 'list', columns: LINE_COLUMNS },
  })
  @Needs(may('access-review', 'read'))
  @Query(() => AccessReviewLineConnection, {
    description: 'The lines of a review, in the order of the ids of identity and service.',
  })
  async accessReviewLines(
    @Arg('id', () => ID, { description: 'Id of the review.' }) id: string,
    @Args(() => LineListArgs) args: LineListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    permitLines(ctx);
    await mustBeReview(ctx, id);
    return linesPage(ctx, id, args, info);
  }
}

@Resolver(() => AccessReview)
export class AccessReviewMemberResolver {
  @Needs(may('access-review', 'read'))
  @FieldResolver(() => AccessReviewLineConnection, {
    description: 'Its lines, in the order of the ids of identity and service.',
  })
  lines(
    @Root() { id }: Pick<RowOf<'AccessReview'>, 'id'>,
    @Args(() => LineListArgs) args: LineListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    permitLines(ctx);
    return linesPage(ctx, id, args, info);
  }
}
