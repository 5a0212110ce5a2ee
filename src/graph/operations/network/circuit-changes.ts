import { Arg, Field, ID, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { CircuitEvent, CircuitEventKind } from '../../../data/rows/fabric/index.js';
import type { CircuitFollower } from '../../../network/fabric/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';

const CircuitChangeKind = enumOf(
  'CircuitChangeKind',
  {
    CREATED: 'A client has dialed.',
    MOVED: 'It has another path.',
    ENDED: 'It carries nothing any more.',
  } satisfies Record<CircuitEventKind, string>,
  'What happened to a circuit.',
);

@ObjectType({
  description: 'A circuit was created, has another path, or has ended.',
  simpleResolvers: true,
})
export class CircuitChange {
  @Field(() => CircuitChangeKind, { description: 'What happened.' })
  kind!: CircuitEventKind;

  @Field(() => DateTime, { description: 'When it was stored.' })
  at!: Date;

  @Field(() => ID, { description: 'Id of the circuit.' })
  circuitId!: string;

  @Field(() => ID, { description: 'Id of the session by which the client dialed.' })
  sessionId!: string;

  @Field(() => ID, { description: 'Id of the service.' })
  serviceId!: string;

  @Field(() => ID, { description: 'Id of the identity that dialed.' })
  identityId!: string;

  @Field(() => ID, {
    description: 'Id of the identity that hosts the service; empty if none does.',
  })
  hostId!: string;

  @Field(() => ID, { description: 'Id of the terminator that it leads to.' })
  terminatorId!: string;

  @Field(() => [ID], { description: 'The ids of the routers of its path, in order.' })
  routerIds!: readonly string[];

  @Field(() => [ID], { description: 'The ids of the links of its path, in order.' })
  linkIds!: readonly string[];

  @Field(() => DateTime, { description: 'When the circuit was created.' })
  createdAt!: Date;
}

interface CircuitChangesArguments {
  readonly serviceIds?: readonly string[] | null;
  readonly identityIds?: readonly string[] | null;
}

/** Follows the circuits with these services and clients; null: with any. */
async function followCircuits(
  args: CircuitChangesArguments,
  { modules, subscriber }: SubscriptionContext,
): Promise<CircuitFollower> {
  const services = args.serviceIds ? new Set(args.serviceIds) : undefined;
  const identities = args.identityIds ? new Set(args.identityIds) : undefined;
  const follower = await modules.circuitStream.follow({
    wants: ({ serviceId, identityId }) =>
      (services?.has(serviceId) ?? true) && (identities?.has(identityId) ?? true),
    onStalled: subscriber.cutOff,
  });
  return subscriber.ending(follower);
}

@Resolver(() => CircuitChange)
export class CircuitChangesResolver {
  @Needs(may('ops', 'read'))
  @Subscription(() => CircuitChange, {
    description:
      'Circuits that are created, take another path or end, from now on, at any controller. A circuit that ends in the moment after its creation has only the event of its end. A subscriber that reads nothing for 30 s, or leaves 20,000 events unread, is cut off with SUBSCRIBER_TOO_SLOW. When events are missing, the subscription ends with UNAVAILABLE.',
    subscribe: subscription(followCircuits),
  })
  circuitChanges(
    @Arg('serviceIds', () => [ID], {
      nullable: true,
      description: 'Only circuits to these services; default: to all.',
    })
    _serviceIds: string[] | null,
    @Arg('identityIds', () => [ID], {
      nullable: true,
      description: 'Only circuits that these identities dialed; default: all.',
    })
    _identityIds: string[] | null,
    @Root() event: CircuitEvent,
  ): CircuitEvent {
    return event;
  }
}
