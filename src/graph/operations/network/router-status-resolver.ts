import { Arg, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { may } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import {
  followRouters,
  type RouterStatus,
  type RouterStatusFollower,
} from '../../../network/presence/index.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';

@ObjectType({
  description: 'A router came online, went offline, or reports something else.',
  simpleResolvers: true,
})
export class RouterStatusChange {
  @Field(() => ID, { description: 'Id of the router.' })
  routerId!: string;

  @Field(() => Boolean, { description: 'Whether it was connected after the change.' })
  isOnline!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'Its progress in reading the model; null while it is offline.',
  })
  syncStatus?: string | undefined;

  @Field(() => DateTime, { description: 'When this controller noticed the change.' })
  at!: Date;
}

interface RouterStatusArguments {
  readonly routerIds?: readonly string[] | null;
}

function followStatus(
  { routerIds }: RouterStatusArguments,
  { modules, subscriber }: SubscriptionContext,
): RouterStatusFollower {
  const follower = followRouters(modules.presence, {
    routerIds: routerIds ? new Set(routerIds) : undefined,
    onStalled: subscriber.cutOff,
  });
  return subscriber.ending(follower);
}

@Resolver(() => RouterStatusChange)
export class RouterStatusResolver {
  @Needs(may('router', 'read'))
  @Subscription(() => RouterStatusChange, {
    description:
      'Routers that come online, go offline, or change their listeners or their `syncStatus`, from now on, at any controller. A slow reader gets the latest state of each router. A subscriber that reads nothing for 30 s is cut off with SUBSCRIBER_TOO_SLOW.',
    subscribe: subscription(followStatus),
  })
  routerStatus(
    @Arg('routerIds', () => [ID], {
      nullable: true,
      description: 'Only these routers; default: all.',
    })
    _routerIds: string[] | null,
    @Root() status: RouterStatus,
  ): RouterStatus {
    return status;
  }
}
