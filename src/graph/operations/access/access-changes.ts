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
} from '../../../analysis/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { ServicePolicyType } from '../../../policy/index.js';
import { Change } from '../../../resources/index.js';
import { grantOf, type Grant } from '../../analysis/access-list.js';

import { permitAnalysis } from '../../analysis/permit-analysis.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { ACCESS } from './access-types.js';
import { AccessGrant } from './accesses-types.js';
import { shownChange, type ListedChange } from '../controller/changes.js';

interface Asked {
  readonly identityId?: string | null;
  readonly serviceId?: string | null;
  readonly type?: ServicePolicyType | null;
  readonly since?: string | null;
}

/** Of the gained, and of the lost. */
const MOST_LISTED = 500;

/** Access from a place in the change log on, or from now on. */
async function followAccess(asked: Asked, ctx: SubscriptionContext): Promise<AccessFollower> {
  const query = queryOf(asked);
  const { since } = asked;
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
    const model = await analyst.past(present, changes.cursor);
    follower = new AccessFollower(analyst, changes, model, { query, most: MOST_LISTED });
  } catch (error) {
    changes.end();
    present.release();
    throw error;
  }
  const begun = follower;
  subscriber.onEnd((error) => {
    changes.end(error);
    begun.end();
  });
  return begun;
}

const queryOf = ({ identityId, serviceId, type }: Asked): AccessQuery => ({
  ...(identityId ? { identities: [identityId] } : {}),
  ...(serviceId ? { services: [serviceId] } : {}),
  ...(type ? { type } : {}),
});

@ObjectType({ description: 'What a change did to access.' })
class AccessChange {
  @Field(() => ID, { description: 'Id of the change, after which `since` goes on.' })
  changeId!: string;
}

@Resolver(() => AccessChange)
export class AccessChangeResolver {
  @Needs(may('change', 'read'))
  @Subscription(() => AccessChange, {
    description:
      'Pairs that policies come to grant and cease to, with the change that caused it: an event for each change that alters what is asked for, in the order of the log, from now on or after the one that `since` names; none is left out, none comes twice. Posture is left out. Whoever takes nothing for 30 s is cut off with SUBSCRIBER_TOO_SLOW and the `cursor` to resume from.',
    subscribe: ({ args, context }) =>
      followAccess(args as Asked, context as SubscriptionContext) as never,
  })
  accessChanges(
    @Root() event: AccessEvent,
    @Arg('identityId', () => ID, { nullable: true, description: 'Only what this one reaches.' })
    _identityId: string | null,
    @Arg('serviceId', () => ID, { nullable: true, description: 'Only who reaches this one.' })
    _serviceId: string | null,
    @Arg('type', ACCESS, { nullable: true, description: 'Only this kind of access.' })
    _type: ServicePolicyType | null,
    @Arg('since', () => ID, {
      nullable: true,
      description: 'Id of the last change that is known already.',
    })
    _since: string | null,
    @Ctx() ctx: RequestContext,
  ): object {
    // What the caller may read can have changed since it began.
    permitAnalysis(ctx);
    return { ...event, changeId: event.change.cursor };
  }

  @Needs(may('change', 'read'))
  @FieldResolver(() => DateTime, { description: 'When the change was made.' })
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
    description: 'Pairs that policies come to grant, in the order of their ids, the first 500.',
  })
  gained(@Root() { gained, after, change }: AccessEvent): Grant[] {
    return gained.pairs.map((pair) => grantOf(after, pair, undefined, change.cursor));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: 'How many pairs they are.' })
  gainedCount(@Root() { gained }: AccessEvent): number {
    return gained.totalCount;
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => [AccessGrant], {
    description: 'Pairs that policies cease to grant, by the names and policies of before.',
  })
  lost(@Root() { lost, before, placeBefore }: AccessEvent): Grant[] {
    return lost.pairs.map((pair) => grantOf(before, pair, undefined, placeBefore));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => Int, { description: 'How many pairs they are.' })
  lostCount(@Root() { lost }: AccessEvent): number {
    return lost.totalCount;
  }
}
