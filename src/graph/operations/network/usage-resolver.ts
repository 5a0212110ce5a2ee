import DataLoader from 'dataloader';
import { Arg, Ctx, Field, FieldResolver, Float, ID, Int, ObjectType } from 'type-graphql';
import { Query, Resolver, Root } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { invalidField } from '../../../base/errors.js';
import {
  usage,
  type CircuitBytes,
  type UsageKey,
  type UsageRow,
} from '../../../data/rows/fabric/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { RowOf } from '../../../kernel/declare/rows.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Runs } from '../../../kernel/graph/pace.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { Circuit } from '../../../resources/routers/circuit.js';

const READ = may('ops', 'read');

const USAGE_KEY = enumOf(
  'UsageKey',
  {
    service: 'Each service.',
    identity: 'Each identity that dials.',
    hour: 'Each hour.',
  } satisfies Record<UsageKey, string>,
  'What usage is told apart by.',
);

const SENT = 'Bytes from the client to the service.';
const RECEIVED = 'Bytes from the service to the client.';

@ObjectType({
  description: 'What clients have sent and received over circuits.',
  simpleResolvers: true,
})
export class Usage implements UsageRow {
  @Field(() => DateTime, {
    nullable: true,
    description: 'The beginning of the hour; null unless told apart by hours.',
  })
  hour!: Date | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the service; null unless told apart by services.',
  })
  serviceId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the identity that dialed; null unless told apart by identities.',
  })
  identityId!: string | null;

  @Field(() => Float, { description: SENT })
  sentBytes!: number;

  @Field(() => Float, { description: RECEIVED })
  receivedBytes!: number;
}

const MAX_ROWS = 10_000;
const DAY_MILLIS = 86_400_000;

@Resolver()
export class UsageResolver {
  @Runs({ lane: 'background' })
  @Needs(READ)
  @Query(() => [Usage], {
    description: [
      'The bytes of circuits by service, identity and hour, as routers report them about once a minute.',
      'Hours come in their order, and the largest usage of each comes first.',
    ].join('\n'),
  })
  usage(
    @Arg('since', () => DateTime, {
      nullable: true,
      description: 'The first hour, by its beginning; default: a day ago.',
    })
    since: Date | undefined,
    @Arg('until', () => DateTime, {
      nullable: true,
      description: 'The end: hours that begin then or later do not count. Default: now.',
    })
    until: Date | undefined,
    @Arg('serviceId', () => ID, { nullable: true, description: 'Only this service.' })
    serviceId: string | undefined,
    @Arg('identityId', () => ID, { nullable: true, description: 'Only this identity.' })
    identityId: string | undefined,
    @Arg('per', () => [USAGE_KEY], {
      defaultValue: ['service', 'identity', 'hour'],
      description: 'What is told apart; everything else is added up.',
    })
    keys: UsageKey[],
    @Arg('limit', () => Int, {
      defaultValue: 500,
      description: `The largest number of rows, at most ${String(MAX_ROWS)}.`,
    })
    limit: number,
    @Ctx() ctx: RequestContext,
  ): Promise<UsageRow[]> {
    if (limit < 1 || limit > MAX_ROWS) {
      throw invalidField('limit', `not from 1 to ${String(MAX_ROWS)}`, limit);
    }
    const end = until ?? ctx.now();
    const begin = since ?? new Date(end.getTime() - DAY_MILLIS);
    return usage.find(ctx.store, { since: begin, until: end, serviceId, identityId, keys, limit });
  }
}

const loaderOf = perRequest(
  ({ store }) =>
    new DataLoader(async (ids: readonly string[]): Promise<(CircuitBytes | undefined)[]> => {
      const rows = await usage.bytesOfCircuits(store, ids);
      const byId = new Map(rows.map((row) => [row.circuitId, row]));
      return ids.map((id) => byId.get(id));
    }),
);

type CircuitRow = Pick<RowOf<'Circuit'>, 'id'>;

const REPORTED = 'as its routers have reported so far, about once a minute.';

@Resolver(() => Circuit)
export class CircuitUsageResolver {
  @Needs(READ)
  @FieldResolver(() => Float, { description: `${SENT.slice(0, -1)}, ${REPORTED}` })
  async sentBytes(@Root() { id }: CircuitRow, @Ctx() ctx: RequestContext): Promise<number> {
    return (await loaderOf(ctx).load(id))?.sentBytes ?? 0;
  }

  @Needs(READ)
  @FieldResolver(() => Float, { description: `${RECEIVED.slice(0, -1)}, ${REPORTED}` })
  async receivedBytes(@Root() { id }: CircuitRow, @Ctx() ctx: RequestContext): Promise<number> {
    return (await loaderOf(ctx).load(id))?.receivedBytes ?? 0;
  }
}
