import { randomUUID } from 'node:crypto';
import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { may } from '../../../kernel/declare/permissions.js';
import { refuseUnstorable } from '../../../base/storable.js';
import { goDuration, TRACE_CHANNELS, type TraceChannel } from '../../../presence/index.js';

@InputType({ description: 'What to trace, and for how long.' })
class TraceInput {
  @Field(() => Boolean, { defaultValue: false, description: 'False ends the trace.' })
  enabled!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'What to find the log entries by; blank: a UUID is made.',
  })
  traceId?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For how long: `90s`, `10m`, `1h30m`. Needed to begin.',
  })
  duration?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `What to log: ${TRACE_CHANNELS.join(', ')}; none, blank or \`all\`: everything.`,
  })
  channels?: string[] | null;
}

@ObjectType({ description: 'A trace as it was begun or ended.', simpleResolvers: true })
class Trace {
  @Field(() => Boolean, { description: 'Whether it runs.' })
  enabled!: boolean;

  @Field(() => String, { description: 'What to find the log entries by.' })
  traceId!: string;

  @Field(() => DateTime, { description: 'When it ends, or ended.' })
  until!: Date;
}

/** Selective logging of what controllers and routers do for one identity. */
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
      'Traces an identity: the paths and circuits made for it are logged in detail, by every controller, until the time is over.',
  })
  async traceIdentity(
    @Arg('id', () => ID, { description: 'Id of the identity.' }) id: string,
    @Arg('input', () => TraceInput, { description: 'What to trace.' }) input: TraceInput,
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

function channelsOf(asked: readonly string[]): readonly TraceChannel[] {
  const named = asked.filter((channel) => channel !== '');
  if (named.length === 0 || named.includes('all')) return TRACE_CHANNELS;
  const known: readonly string[] = TRACE_CHANNELS;
  const unknown = named.find((channel) => !known.includes(channel));
  if (unknown !== undefined) {
    throw invalidField('channels', `must be among all, ${TRACE_CHANNELS.join(', ')}`, unknown);
  }
  return TRACE_CHANNELS.filter((channel) => named.includes(channel));
}
