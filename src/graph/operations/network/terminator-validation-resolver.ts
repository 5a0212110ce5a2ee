import { Arg, Field, ID, Int, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import { DateTime } from '../../../base/date-time.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { namesById } from '../../../kernel/read/entity-table.js';
import { filteredRows } from '../../../kernel/read/listing.js';
import type { TerminatorState } from '../../../network/messages/index.js';
import { ValidationFollower, type RouterPresence } from '../../../network/presence/index.js';
import type { ValidationResult } from '../../../network/validation/index.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';
import { stepsOfTerminators } from './validation-steps.js';

const State = enumOf(
  'TerminatorValidity',
  {
    Valid: 'The router has it.',
    Unknown: 'The router did not say.',
    InvalidUnknownBinding: 'The router has no listener for its binding.',
    InvalidUnknownTerminator: 'The router does not have it.',
    InvalidBadState: 'The router has it, and it does not work.',
  } satisfies Record<TerminatorState, string>,
  'Whether a router has a terminator that is stored for it.',
);

@ObjectType({ description: 'A terminator, as its router has it.', simpleResolvers: true })
export class ValidatedTerminator {
  @Field(() => ID, { description: 'Id of the terminator.' })
  terminatorId!: string;

  @Field(() => ID, { description: 'Id of its service.' })
  serviceId!: string;

  @Field(() => String, { description: 'Name of its service.' })
  serviceName!: string;

  @Field(() => ID, { description: 'Id of its router.' })
  routerId!: string;

  @Field(() => String, { description: 'Name of its router.' })
  routerName!: string;

  @Field(() => String, { description: 'The listener of the router that serves it.' })
  binding!: string;

  @Field(() => String, { description: 'Its address at the router.' })
  address!: string;

  @Field(() => ID, { description: 'Id of the identity that hosts it; empty if none does.' })
  hostId!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => State, { description: 'Whether the router has it.' })
  state!: TerminatorState;

  @Field(() => Boolean, { description: 'Whether it was removed.' })
  isFixed!: boolean;

  @Field(() => String, { description: 'What the router says about it, or why it says nothing.' })
  detail!: string;
}

@ObjectType({
  description: 'The begin of a validation, and then the result of each terminator.',
  simpleResolvers: true,
})
class TerminatorValidation {
  @Field(() => Int, { description: 'The number of results in all.' })
  count!: number;

  @Field(() => ValidatedTerminator, {
    nullable: true,
    description: 'The next result; null in the first event.',
  })
  result?: ValidatedTerminator;
}

interface TerminatorValidationArguments {
  readonly filter?: string | null;
  readonly fix: boolean;
}

type StoredTerminator = Omit<ValidatedTerminator, 'state' | 'isFixed' | 'detail'>;

async function followValidation(
  { filter, fix }: TerminatorValidationArguments,
  ctx: SubscriptionContext,
): Promise<ValidationFollower<TerminatorValidation>> {
  const { presence } = ctx.modules;
  await presence.validations.prepare();
  const terminators = await storedTerminators(ctx, filter ?? '');
  const follower = new ValidationFollower(
    (signal) => validationOf(presence, terminators, fix, signal),
    ctx.subscriber.cutOff,
  );
  return ctx.subscriber.ending(follower);
}

async function storedTerminators(
  ctx: SubscriptionContext,
  filter: string,
): Promise<StoredTerminator[]> {
  const { Terminator, Service, Router } = ctx.catalog.resources;
  const rows = await filteredRows(ctx, Terminator, filter, ATTRIBUTES);
  const terminators = rows as readonly (Omit<StoredTerminator, 'terminatorId'> & { id: string })[];
  const names = new Map<string, string>();
  for (const [resource, member] of [
    [Service, 'serviceId'],
    [Router, 'routerId'],
  ] as const) {
    const ids = [...new Set(terminators.map((each) => each[member]))];
    for (const { id, name } of await namesById(ctx.store, resource, ids)) {
      names.set(`${member} ${id}`, name);
    }
  }
  return terminators.map(({ id, ...terminator }) => ({
    ...terminator,
    terminatorId: id,
    serviceName: names.get(`serviceId ${terminator.serviceId}`) ?? '',
    routerName: names.get(`routerId ${terminator.routerId}`) ?? '',
  }));
}

const ATTRIBUTES = ['id', 'serviceId', 'routerId', 'binding', 'address', 'hostId', 'createdAt'];

async function* validationOf(
  presence: Pick<RouterPresence, 'router' | 'validations'>,
  terminators: readonly StoredTerminator[],
  fixes: boolean,
  signal: AbortSignal,
): AsyncGenerator<TerminatorValidation, undefined> {
  const count = terminators.length;
  yield { count };
  const isOnline = ({ routerId }: StoredTerminator): boolean =>
    presence.router(routerId) !== undefined;
  for (const terminator of terminators.filter((each) => !isOnline(each))) {
    yield { count, result: unknown(terminator, 'its router is not connected') };
  }
  const online = terminators.filter(isOnline);
  const steps = stepsOfTerminators(
    online.map(({ terminatorId: id, routerId }) => ({ id, routerId })),
  );
  const task = { validation: 'TERMINATORS', fixes } as const;
  const waiting = new Map(online.map((terminator) => [terminator.terminatorId, terminator]));
  for await (const { nodeId, names, result } of presence.validations.run(steps, task, signal)) {
    const resultOf = resultsIn(result);
    for (const id of names) {
      const terminator = waiting.get(id);
      // A step has terminators of several routers.
      if (terminator?.routerId === nodeId) yield { count, result: resultOf(terminator) };
    }
  }
}

const unknown = (terminator: StoredTerminator, detail: string): ValidatedTerminator => ({
  ...terminator,
  state: 'Unknown',
  isFixed: false,
  detail,
});

/** The part of the result of a router that is about a terminator. */
function resultsIn({
  isDone,
  errors,
  details,
}: ValidationResult): (terminator: StoredTerminator) => ValidatedTerminator {
  if (!isDone) return (terminator) => unknown(terminator, errors[0] ?? '');
  const findings = new Map(details.map((detail) => [detail.terminatorId, detail]));
  return (terminator) => {
    const finding = findings.get(terminator.terminatorId) as TerminatorFinding | undefined;
    if (!finding) return unknown(terminator, 'it was removed meanwhile');
    const { state, fixed, detail } = finding;
    return { ...terminator, state, isFixed: fixed, detail };
  };
}

interface TerminatorFinding {
  readonly state: TerminatorState;
  readonly fixed: boolean;
  readonly detail: string;
}

@Resolver(() => TerminatorValidation)
export class TerminatorValidationResolver {
  @Needs(ADMIN)
  @Subscription(() => TerminatorValidation, {
    description:
      'Asks routers, at any controller, whether they have the terminators that are stored for them. The first event has the number of results; each terminator then gives one. The subscription ends after the last result.',
    subscribe: subscription(followValidation),
  })
  terminatorValidation(
    @Arg('filter', () => String, {
      nullable: true,
      description: 'Only terminators that match this filter; default: all.',
    })
    _filter: string | null,
    @Arg('fix', () => Boolean, {
      defaultValue: false,
      description: 'Whether terminators that their router does not have are removed.',
    })
    _fix: boolean,
    @Root() event: TerminatorValidation,
  ): TerminatorValidation {
    return event;
  }
}
