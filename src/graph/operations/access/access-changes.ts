import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  ObjectType,
  Resolver,
  Root,
  Subscription,
  type ClassType,
} from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import {
  type AccessQuery,
  AccessFollower,
  type AccessEvent,
  isOfModel,
  isPlace,
} from '../../../access/analysis/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import { Change } from '../../../resources/index.js';
import { grantOf, type Grant } from '../../analysis/access-list.js';

import { permitAnalysis } from '../../analysis/permit-analysis.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';
import { ACCESS } from './access-types.js';
import { AccessGrant } from './accesses-types.js';
import { shownChange, type ListedChange } from '../controller/changes-resolver.js';

interface AccessChangesArguments {
  readonly identityId?: string | null;
  readonly serviceId?: string | null;
  readonly type?: ServicePolicyType | null;
  readonly since?: string | null;
}

/** The limit of each of both lists. */
const MAX_LISTED = 500;

/** Follows access from a place in the change log, or from the present. */
async function followAccess(
  args: AccessChangesArguments,
  ctx: SubscriptionContext,
): Promise<AccessFollower> {
  const query = queryOf(args);
  const { since } = args;
  if (since && !isPlace(since)) throw invalidField('since', 'is no id of a change', since);
  permitAnalysis(ctx);
  const analyst = ctx.modules.analyst;
  const { subscriber } = ctx;
  const changes = await ctx.modules.changeStream.follow({
    since: since ?? undefined,
    wants: isOfModel,
    onStalled: (error) => {
      follower?.end();
      subscriber.cutOff(error);
    },
  });
  const present = analyst.present();
  let follower: AccessFollower | undefined;
  try {
    const model = await analyst.past(present, changes.cursor, ctx.scope);
    follower = new AccessFollower(analyst, changes, model, { query, most: MAX_LISTED });
  } catch (error) {
    changes.end();
    present.release();
    throw error;
  }
  const startedFollower = follower;
  subscriber.onEnd((error) => {
    changes.end(error);
    startedFollower.end();
  });
  return startedFollower;
}

const queryOf = ({ identityId, serviceId, type }: AccessChangesArguments): AccessQuery => ({
  ...(identityId ? { identities: [identityId] } : {}),
  ...(serviceId ? { services: [serviceId] } : {}),
  ...(type ? { type } : {}),
});

@ObjectType({ description: 'The effect of a change on access.' })
class AccessChange {
  @Field(() => ID, { description: 'Id of the change; `since` resumes after it.' })
  changeId!: string;
}

@Resolver(() => AccessChange)
export class AccessChangeResolver {
  @Needs(may('change', 'read'))
  @Subscription(() => AccessChange, {
    description:
      'Pairs that policies start or stop granting, each with the change that caused it: one event for each change that alters the requested pairs, in the order of the log, from now on or after the change that `since` names; no event is missing, none comes twice. Posture is left out. A subscriber that reads nothing for 30 s is cut off with SUBSCRIBER_TOO_SLOW and the `cursor` to resume from.',
    subscribe: subscription(followAccess),
  })
  accessChanges(
    @Root() event: AccessEvent,
    @Arg('identityId', () => ID, { nullable: true, description: 'Only pairs with this identity.' })
    _identityId: string | null,
    @Arg('serviceId', () => ID, { nullable: true, description: 'Only pairs with this service.' })
    _serviceId: string | null,
    @Arg('type', ACCESS, { nullable: true, description: 'Only this kind of access.' })
    _type: ServicePolicyType | null,
    @Arg('since', () => ID, {
      nullable: true,
      description: 'Id of the last change that the client has received.',
    })
    _since: string | null,
    @Ctx() ctx: RequestContext,
  ): object {
    // The permissions of the caller may have changed since the subscription began.
    permitAnalysis(ctx);
    return { ...event, changeId: event.change.cursor };
  }

  @Needs(may('change', 'read'))
  @FieldResolver(() => DateTime, { description: 'Time of the change.' })
  at(@Root() { change }: AccessEvent): Date {
    return change.at;
  }

  @Needs(may('change', 'read'))
  @FieldResolver(() => Change as ClassType, { description: 'The change that caused it.' })
  change(@Root() { change }: AccessEvent, @Info() info: GraphQLResolveInfo): ListedChange {
    return shownChange(change, info);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => [AccessGrant], {
    description: 'Pairs that policies start granting, in the order of their ids, the first 500.',
  })
  gained(@Root() { gained, after, change }: AccessEvent): Grant[] {
    return gained.pairs.map((pair) => grantOf(after, pair, undefined, change.cursor));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: 'Number of these pairs.' })
  gainedCount(@Root() { gained }: AccessEvent): number {
    return gained.totalCount;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => [AccessGrant], {
    description:
      'Pairs that policies stop granting, with the names and policies before the change.',
  })
  lost(@Root() { lost, before, placeBefore }: AccessEvent): Grant[] {
    return lost.pairs.map((pair) => grantOf(before, pair, undefined, placeBefore));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: 'Number of these pairs.' })
  lostCount(@Root() { lost }: AccessEvent): number {
    return lost.totalCount;
  }
}
