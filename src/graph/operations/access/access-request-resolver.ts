import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  ArgsType,
  Args,
  Ctx,
  Field,
  ID,
  Info,
  Int,
  Mutation,
  Query,
  Resolver,
} from 'type-graphql';
import {
  AccessRequestEffect,
  approveRequestIn,
  cancelRequestIn,
  denyRequestIn,
  requestAccess,
  requestEffect,
  reviewRequestIn,
  revokeAccessIn,
  type Approval,
  type NewAccessRequest,
} from '../../../access/requests/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { ADMIN, permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { BOTH, Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import type { Origin, Transaction } from '../../../kernel/request/store-port.js';
import { originOf } from '../../../kernel/write/write.js';
import { AccessRequest } from '../../../resources/policies/access-request.js';
import { readOwn } from '../../own.js';

type Selected = Promise<SelectedOf<'AccessRequest'> | undefined>;

/** It reads the access of one identity before and after. */
const EFFECT_COST = 500;

const Effect = outputType(object(() => AccessRequestEffect));

const COMMENT = 'A comment on the decision, one line of at most 500 characters.';
type Comment = Approval['comment'];

@ArgsType()
class NewAccessRequestArgs implements NewAccessRequest {
  @Field(() => ID, { description: 'Id of the access offer.' })
  offerId!: string;

  @Field(() => String, { description: 'The reason, one line of at most 500 characters.' })
  reason!: string;

  @Field(() => Int, { description: 'The duration in minutes, at most that of the offer.' })
  minutes!: number;
}

/** Writes by a caller who may see the request afterwards. */
async function writeRequest(
  ctx: RequestContext,
  id: string,
  info: GraphQLResolveInfo,
  work: (tx: Transaction) => Promise<void>,
  origin: Partial<Origin> = {},
): Selected {
  await ctx.store.write({ ...originOf(ctx), ...origin }, work);
  return readOwn(ctx, 'AccessRequest', id, info);
}

/** Requests for access, and the decisions about them. Each decision judges by itself who may make it. */
@Resolver()
export class AccessRequestResolver {
  @Rest({
    on: BOTH,
    method: 'GET',
    path: '/access-requests/{id}/effect',
    operationId: 'detailAccessRequestEffect',
  })
  @Needs(SESSION)
  @Runs({ lane: 'background', cost: EFFECT_COST })
  @Query(Effect, {
    description:
      'What the grant of an open request would give its requester, and the access rules that refuse it, for those who may decide.',
  })
  accessRequestEffect(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<AccessRequestEffect> {
    return requestEffect(ctx, permit(ctx, SESSION), id);
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/access-requests',
    errors: [404, 409],
    answer: { kind: 'created', collection: 'access-requests' },
  })
  @Needs(SESSION)
  @Mutation(() => AccessRequest, {
    description:
      'Asks for the role attribute of an access offer, for the caller itself. An offer without approval grants it at once.',
  })
  async requestAccess(
    @Args(() => NewAccessRequestArgs) request: NewAccessRequestArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    return readOwn(ctx, 'AccessRequest', await requestAccess(ctx, request), info);
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/access-requests/{id}/cancel',
    errors: [400],
    answer: { kind: 'empty' },
  })
  @Needs(SESSION)
  @Mutation(() => AccessRequest, { description: 'Takes back an open request of the caller.' })
  cancelAccessRequest(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    return writeRequest(ctx, id, info, (tx) => cancelRequestIn(ctx, tx, id));
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/access-requests/{id}/approve',
    errors: [409],
    answer: { kind: 'empty' },
  })
  @Needs(SESSION)
  @Mutation(() => AccessRequest, {
    description:
      'Grants an open request, for its approvers and for administrators; nobody approves an own request. The offer and the requester are judged anew.',
  })
  approveAccessRequest(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Arg('minutes', () => Int, {
      nullable: true,
      description: 'The duration in minutes; default: as long as was asked. It is never longer.',
    })
    minutes: Approval['minutes'],
    @Arg('comment', () => String, { nullable: true, description: COMMENT }) comment: Comment,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    return writeRequest(ctx, id, info, (tx) => approveRequestIn(ctx, tx, { id, minutes, comment }));
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/access-requests/{id}/deny',
    answer: { kind: 'empty' },
  })
  @Needs(SESSION)
  @Mutation(() => AccessRequest, {
    description: 'Refuses an open request, for its approvers and for administrators.',
  })
  denyAccessRequest(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Arg('comment', () => String, { nullable: true, description: COMMENT }) comment: Comment,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    return writeRequest(ctx, id, info, (tx) => denyRequestIn(ctx, tx, { id, comment }));
  }

  @Rest({
    on: BOTH,
    method: 'POST',
    path: '/access-requests/{id}/revoke',
    operationId: 'revokeAccessRequest',
    answer: { kind: 'empty' },
  })
  @Needs(SESSION)
  @Mutation(() => AccessRequest, {
    description:
      'Ends a grant before its time, with the sessions that depend on it: for its approvers, for administrators, and for the requester itself. No access rule keeps it.',
  })
  revokeAccess(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Arg('comment', () => String, { nullable: true, description: COMMENT }) comment: Comment,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    const revoke = (tx: Transaction) => revokeAccessIn(ctx, tx, { id, comment });
    return writeRequest(ctx, id, info, revoke, { overridesRules: true });
  }

  @Rest({
    method: 'POST',
    path: '/access-requests/{id}/review',
    answer: { kind: 'empty' },
  })
  @Needs(ADMIN)
  @Mutation(() => AccessRequest, {
    description:
      'Marks the use of an offer for emergencies as reviewed, which resolves its finding. Nobody reviews an own request.',
  })
  reviewAccessRequest(
    @Arg('id', () => ID, { description: 'Id of the request.' }) id: string,
    @Arg('comment', () => String, { nullable: true, description: COMMENT }) comment: Comment,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Selected {
    return writeRequest(ctx, id, info, (tx) => reviewRequestIn(ctx, tx, { id, comment }));
  }
}
