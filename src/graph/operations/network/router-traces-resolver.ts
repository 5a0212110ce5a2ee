import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  ID,
  Int,
  Mutation,
  ObjectType,
  Resolver,
  Root,
  Subscription,
} from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { parseJson } from '../../../base/json-text.js';
import type { JsonObject } from '../../../base/row.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { TraceFollower, type TraceContent } from '../../../network/events/index.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';

const NANOS_IN_MILLI = 1_000_000;

@ObjectType({
  description: 'A message that a router has sent or received.',
  simpleResolvers: true,
})
class RouterTrace {
  @Field(() => DateTime, { description: 'When, by the clock of the router.' })
  at!: Date;

  @Field(() => ID, { description: 'Id of the router, or of the link.' })
  sourceId!: string;

  @Field(() => String, { description: 'Name of the channel.' })
  channel!: string;

  @Field(() => Boolean, { description: 'Whether it was received; else it was sent.' })
  isReceived!: boolean;

  @Field(() => Int, { description: 'The type of the message.' })
  type!: number;

  @Field(() => Int, { description: 'Its number on the channel.' })
  sequence!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'The number of the message that it answers; null for others.',
  })
  replyTo!: number | null;

  @Field(() => Int, { description: 'The bytes of its body.' })
  length!: number;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'The main values of the message; null where the router does not describe it.',
  })
  content!: JsonObject | null;
}

const NO_REPLY = -1;

const traceOf = (trace: TraceContent): RouterTrace => ({
  at: new Date(trace.timestamp / NANOS_IN_MILLI),
  sourceId: trace.identity,
  channel: trace.channel,
  isReceived: trace.isRx,
  type: trace.contentType,
  sequence: trace.sequence,
  replyTo: trace.replyFor === NO_REPLY ? null : trace.replyFor,
  length: trace.length,
  content: trace.decode === '' ? null : (parseJson(trace.decode, { anyText: true }) as JsonObject),
});

@ObjectType({ description: 'What a toggle of traces has done.', simpleResolvers: true })
class RouterTracesToggle {
  @Field(() => Boolean, { description: 'Whether the controller and each matching router took it.' })
  success!: boolean;

  @Field(() => [String], {
    description: 'Which routers and channels match, as they say it, and faults.',
  })
  messages!: readonly string[];
}

interface RouterTracesArguments {
  readonly sourceIds?: readonly string[] | null;
  readonly types?: readonly number[] | null;
  readonly exceptTypes?: readonly number[] | null;
}

function followTraces(
  { sourceIds, types, exceptTypes }: RouterTracesArguments,
  { modules, subscriber }: SubscriptionContext,
): TraceFollower {
  const follower = new TraceFollower({
    liveEvents: modules.liveEvents,
    sourceIds: sourceIds ? new Set(sourceIds) : undefined,
    types: types ?? undefined,
    exceptTypes: exceptTypes ?? undefined,
    onStalled: subscriber.cutOff,
  });
  return subscriber.ending(follower);
}

const ALL = '.*';

@Resolver(() => RouterTrace)
export class RouterTracesResolver {
  @Needs(ADMIN)
  @Mutation(() => RouterTracesToggle, {
    description:
      'Has routers trace the messages of channels, or no more. A toggle counts until it is switched off or the controller starts again. Routers trace only while somebody follows `routerTraces`. Only the controller that serves the routers takes toggles.',
  })
  async toggleRouterTraces(
    @Arg('enable', () => Boolean, { description: 'Whether the channels are traced.' })
    enable: boolean,
    @Arg('routers', () => String, {
      defaultValue: ALL,
      description: 'A regular expression for ids and names of routers.',
    })
    routers: string,
    @Arg('channels', () => String, {
      defaultValue: ALL,
      description: 'A regular expression for names of channels.',
    })
    channels: string,
    @Ctx() { modules }: RequestContext,
  ): Promise<RouterTracesToggle> {
    const { isSuccess, text } = await modules.liveEvents.toggleTraces({
      ...{ enable, verbosity: enable ? 'ReportMatches' : 'ReportNone' },
      ...{ appRegex: routers, pipeRegex: channels },
    });
    return { success: isSuccess, messages: text.split('\n').filter((line) => line !== '') };
  }

  @Needs(ADMIN)
  @Subscription(() => RouterTrace, {
    description:
      'Messages that routers trace from now on, as `toggleRouterTraces` has them do it, at the controller that serves the routers. A subscriber that reads nothing for 30 s, or leaves 10,000 events unread, is cut off with SUBSCRIBER_TOO_SLOW.',
    subscribe: subscription(followTraces),
  })
  routerTraces(
    @Arg('sourceIds', () => [ID], {
      nullable: true,
      description: 'Only traces of these routers and links; default: of all.',
    })
    _sourceIds: string[] | null,
    @Arg('types', () => [Int], {
      nullable: true,
      description: 'Only messages of these types; default: of all.',
    })
    _types: number[] | null,
    @Arg('exceptTypes', () => [Int], {
      nullable: true,
      description: 'No messages of these types.',
    })
    _exceptTypes: number[] | null,
    @Root() event: TraceContent,
  ): RouterTrace {
    return traceOf(event);
  }
}
