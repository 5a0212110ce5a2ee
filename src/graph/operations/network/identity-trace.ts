import { randomUUID } from 'node:crypto';
import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { TRACE_CHANNELS, type TraceChannel } from '../../../data/rows/trace/index.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may } from '../../../kernel/declare/permissions.js';
import { refuseUnstorable } from '../../../base/storable.js';
import { goDuration } from '../../../network/presence/index.js';

@InputType({ description: 'The channels and the duration of a trace.' })
class TraceInput {
  @Field(() => Boolean, { defaultValue: false, description: 'False ends the trace.' })
  enabled!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The id in the log entries; default: a new UUID.',
  })
  traceId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The duration: `90s`, `10m`, `1h30m`. Required to start.',
  })
  duration?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `The channels to log: ${TRACE_CHANNELS.join(', ')}; none, blank or \`all\`: everything.`,
  })
  channels?: string[] | null;
}

@ObjectType({ description: 'A trace that has started or ended.', simpleResolvers: true })
class Trace {
  @Field(() => Boolean, { description: 'Whether it runs.' })
  enabled!: boolean;

  @Field(() => String, { description: 'The id in the log entries.' })
  traceId!: string;

  @Field(() => DateTime, { description: 'End of the trace.' })
  until!: Date;
}

/** Detailed logging of the work of controllers and routers for one identity. */
@Resolver()
export class IdentityTraceResolver {
  @Rest({
    method: 'PUT',
    path: '/identities/{id}/trace',
    operationId: 'updateIdentityTracing',
  })
  @Needs(may('identity', 'update'))
  @Mutation(() => Trace, {
    description:
      'Traces an identity: every controller logs its paths and circuits in detail until the trace ends.',
  })
  async traceIdentity(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Arg('input', () => TraceInput, { description: 'The trace.' }) input: TraceInput,
    @Ctx() ctx: RequestContext,
  ): Promise<Trace> {
    const presence = ctx.modules.presence;
    const now = ctx.now();
    const running = presence.activeTrace(id);
    const { enabled } = input;
    refuseUnstorable(input.traceId ?? '', 'traceId');
    const trace = {
      identityId: id,
      enabled,
      traceId: blankless(input.traceId) ?? (enabled ? randomUUID() : (running?.traceId ?? '')),
      channels: channelsOf(input.channels ?? []),
      until: enabled ? endOf(now, input.duration ?? '') : now,
    };
    if (!(await presence.trace(trace))) throw notFound('identity', id);
    return trace;
  }
}

const blankless = (text: string | null | undefined): string | undefined =>
  text === '' ? undefined : (text ?? undefined);

function endOf(now: Date, duration: string): Date {
  const millis = goDuration(duration);
  if (millis === undefined) {
    throw invalidField('duration', 'must be a positive duration like 10m or 1h30m', duration);
  }
  return new Date(now.getTime() + millis);
}

function channelsOf(requestedChannels: readonly string[]): readonly TraceChannel[] {
  const filledNames = requestedChannels.filter((channel) => channel !== '');
  if (filledNames.length === 0 || filledNames.includes('all')) return TRACE_CHANNELS;
  const validNames: readonly string[] = TRACE_CHANNELS;
  const unknownName = filledNames.find((channel) => !validNames.includes(channel));
  if (unknownName !== undefined) {
    throw invalidField('channels', `must be among all, ${TRACE_CHANNELS.join(', ')}`, unknownName);
  }
  return TRACE_CHANNELS.filter((channel) => filledNames.includes(channel));
}
