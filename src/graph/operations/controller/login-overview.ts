import { Arg, Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Resolver } from 'type-graphql';
import { hourOf } from '../../../trust/auth/index.js';
import { DateTime } from '../../../base/date-time.js';
import {
  failedLogins,
  hourlyLogins,
  LOGIN_REFUSALS,
  type FailedLoginOwner,
  type FailedLogins as StoredFailedLogins,
  type HourlyLogins,
  type LoginRefusal,
} from '../../../data/rows/login/index.js';
import { may, permits } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { within } from './argument-range.js';
import { Overview } from './overview.js';

const READ = may('ops', 'read');
const HOUR_MILLIS = 3_600_000;
const MAX_HOURS = 168;
const MAX_GROUPS = 100;

export const REFUSAL = enumOf(
  'LoginRefusal',
  sentences(LOGIN_REFUSALS),
  'Why a login was refused.',
);

function sentences(texts: Readonly<Record<LoginRefusal, string>>): Record<string, string> {
  const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, sentence(text)]));
}

const OWNER = enumOf(
  'FailedLoginOwner',
  {
    IDENTITY: 'The identity of `identityId`.',
    UNKNOWN:
      'The logins named no identity that exists. Their usernames are not kept: a user may have typed the password there.',
    SEVERAL:
      'Several identities: logins that found no place in the groups of their hour are added up.',
  } satisfies Record<FailedLoginOwner, string>,
  'Whose logins failed.',
);

@ObjectType({ description: 'The logins and sessions of an hour.', simpleResolvers: true })
class HourOfLogins implements HourlyLogins {
  @Field(() => DateTime, { description: 'The beginning of the hour, in UTC.' })
  hour!: Date;

  @Field(() => Int, { description: 'API sessions that were opened.' })
  apiSessions!: number;

  @Field(() => Int, { description: 'Sessions for services that were opened.' })
  sessions!: number;

  @Field(() => Int, { description: 'Logins that were refused.' })
  failedLogins!: number;
}

@ObjectType({
  description: 'Logins that were refused for the same reason, from the same place.',
  simpleResolvers: true,
})
export class FailedLogin implements Omit<StoredFailedLogins, 'groupCount' | 'total'> {
  @Field(() => REFUSAL, { description: 'Why they were refused.' })
  refusal!: LoginRefusal;

  @Field(() => String, { description: 'The same as a text.' })
  reason!: string;

  @Field(() => String, {
    description:
      'The method: `password`, `cert`, `ext-jwt`, `mfa` for a second factor, or `enroll` for an enrollment by the JWT of a signer.',
  })
  method!: StoredFailedLogins['method'];

  @Field(() => String, {
    nullable: true,
    description:
      'The address that they came from; of IPv6 its /64 network. Null: several addresses are added up.',
  })
  sender!: string | null;

  @Field(() => OWNER, { description: 'Whose logins they were.' })
  owner!: FailedLoginOwner;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the identity; null if its owner is not one identity.',
  })
  identityId!: string | null;

  @Field(() => Float, { description: 'Their number.' })
  count!: number;

  @Field(() => DateTime, { description: 'The time of the last one.' })
  lastAt!: Date;
}

@ObjectType({ description: 'Logins that were refused.', simpleResolvers: true })
class FailedLogins {
  @Field(() => Float, {
    description: 'The number of all, except those of identities that are deleted.',
  })
  total!: number;

  @Field(() => Int, { description: 'The number of groups.' })
  groupCount!: number;

  @Field(() => [FailedLogin], { description: 'The groups with the most logins.' })
  nodes!: readonly FailedLogin[];
}

const HOURS = {
  defaultValue: 24,
  description: `The number of hours, with the present one; at most ${String(MAX_HOURS)}.`,
};

/** The beginnings of the last hours in their order; the last one is the present hour. */
function lastHours(now: Date, hours: number): readonly [Date, ...Date[]] {
  const present = hourOf(now).getTime();
  const ago = (count: number): Date => new Date(present - count * HOUR_MILLIS);
  const count = within('hours', hours, 1, MAX_HOURS);
  return [ago(count - 1), ...Array.from({ length: count - 1 }, (_, i) => ago(count - 2 - i))];
}

@Resolver(() => Overview)
export class LoginOverviewResolver {
  @Needs(READ)
  @FieldResolver(() => [HourOfLogins], {
    nullable: true,
    description:
      'The logins and sessions of the last hours in their order, also of hours without any. They are counted within seconds, and kept for OVERGRAPH_LOGINS_KEEP.',
  })
  async sessions(
    @Arg('hours', () => Int, HOURS) hours: number,
    @Ctx() { caller, store, now }: RequestContext,
  ): Promise<HourOfLogins[] | null> {
    if (!permits(caller, READ)) return null;
    const all = lastHours(now(), hours);
    const rows = await hourlyLogins.since(store, all[0]);
    const byHour = new Map(rows.map((row) => [row.hour.getTime(), row]));
    const nothing = { apiSessions: 0, sessions: 0, failedLogins: 0 };
    return all.map((hour) => byHour.get(hour.getTime()) ?? { hour, ...nothing });
  }

  @Needs(READ)
  @FieldResolver(() => FailedLogins, {
    nullable: true,
    description: [
      'Logins that were refused in the last hours, in groups. They are counted within seconds, and kept for OVERGRAPH_LOGINS_KEEP.',
      'The number of groups of an hour is bounded. Further logins are added up by identity, by address or altogether.',
    ].join('\n'),
  })
  async failedLogins(
    @Arg('hours', () => Int, HOURS) hours: number,
    @Arg('first', () => Int, {
      defaultValue: 20,
      description: `The largest number of groups, at most ${String(MAX_GROUPS)}.`,
    })
    first: number,
    @Ctx() { caller, store, now }: RequestContext,
  ): Promise<FailedLogins | null> {
    if (!permits(caller, READ)) return null;
    const [since] = lastHours(now(), hours);
    const rows = await failedLogins.largestSince(
      store,
      since,
      within('first', first, 1, MAX_GROUPS),
    );
    const { total = 0, groupCount = 0 } = rows[0] ?? {};
    const nodes = rows.map((row) => ({ ...row, reason: LOGIN_REFUSALS[row.refusal] }));
    return { total, groupCount, nodes };
  }
}
