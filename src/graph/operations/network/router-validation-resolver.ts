import { GraphQLJSON } from 'graphql-scalars';
import { Arg, Field, ID, Int, ObjectType, Resolver, Root, Subscription } from 'type-graphql';
import type { JsonObject } from '../../../base/row.js';
import { controllers } from '../../../data/rows/controller/index.js';
import type { Validation } from '../../../data/rows/inspection/index.js';
import { ADMIN } from '../../../kernel/declare/permissions.js';
import { enumOf } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { filteredRows } from '../../../kernel/read/listing.js';
import { ValidationFollower, type RouterPresence } from '../../../network/presence/index.js';
import { notValidated, type ValidationResult } from '../../../network/validation/index.js';
import type { SubscriptionContext } from '../../subscriptions/subscriber.js';
import { subscription } from '../../subscriptions/subscription-source.js';
import { stepsOfNodes } from './validation-steps.js';

/** Terminators are validated one by one, not by their routers. */
export type RouterValidationKind = Exclude<Validation, 'TERMINATORS'>;

const Kind = enumOf(
  'RouterValidationKind',
  {
    DATA_MODEL:
      'The data model that it has; the errors are the differences from what it should have.',
    LINKS: 'Its links to other routers.',
    CIRCUITS: 'The circuits that it carries.',
    SDK_TERMINATORS: 'The terminators of its clients.',
    TUNNELER_TERMINATORS: 'The terminators of the tunneler in it.',
    IDENTITY_CONNECTIONS: 'The identities that are connected to it.',
  } satisfies Record<RouterValidationKind, string>,
  'What a router is compared by.',
);

@ObjectType({
  description: 'How a router or controller compares with the rest of the network.',
  simpleResolvers: true,
})
export class RouterValidationResult {
  @Field(() => ID, { description: 'Id of the router or controller.' })
  nodeId!: string;

  @Field(() => String, { description: 'Name of the router, or id of the controller.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether it is a controller.' })
  isController!: boolean;

  @Field(() => Boolean, {
    description: 'Whether it could be compared; else the first error has the reason.',
  })
  isDone!: boolean;

  @Field(() => Boolean, { description: 'Whether both sides have the same.' })
  isValid!: boolean;

  @Field(() => [String], { description: 'Differences that concern none of the details.' })
  errors!: readonly string[];

  @Field(() => [GraphQLJSON], {
    description: 'Its links, circuits or terminators, with the state of each at both sides.',
  })
  details!: readonly JsonObject[];
}

@ObjectType({
  description: 'The begin of a validation, and then the result of each router.',
  simpleResolvers: true,
})
class RouterValidation {
  @Field(() => Int, { description: 'The number of results in all.' })
  count!: number;

  @Field(() => RouterValidationResult, {
    nullable: true,
    description: 'The next result; null in the first event.',
  })
  result?: RouterValidationResult;
}

interface RouterValidationArguments {
  readonly kind: RouterValidationKind;
  readonly filter?: string | null;
  readonly withControllers: boolean;
  readonly fix: boolean;
}

async function followValidation(
  { kind, filter, withControllers, fix }: RouterValidationArguments,
  ctx: SubscriptionContext,
): Promise<ValidationFollower<RouterValidation>> {
  const { presence } = ctx.modules;
  await presence.validations.prepare();
  const { Router } = ctx.catalog.resources;
  const routers = await filteredRows(ctx, Router, filter ?? '', ['id', 'name']);
  const controllerIds = withControllers
    ? await controllers.nodesMatching(ctx.store, ANY_NAME, [])
    : [];
  const nodes = [
    ...(controllerIds ?? []).map((id) => ({ id, name: id, isController: true })),
    ...routers.map(({ id, name }) => ({ id, name: name ?? '', isController: false })),
  ];
  const task = { validation: kind, fixes: fix };
  const follower = new ValidationFollower(
    (signal) => validationOf(presence, nodes, task, signal),
    ctx.subscriber.cutOff,
  );
  return ctx.subscriber.ending(follower);
}

const ANY_NAME = '';

interface ValidatedNode {
  readonly id: string;
  readonly name: string;
  readonly isController: boolean;
}

async function* validationOf(
  presence: Pick<RouterPresence, 'router' | 'validations'>,
  nodes: readonly ValidatedNode[],
  task: Parameters<RouterPresence['validations']['run']>[1],
  signal: AbortSignal,
): AsyncGenerator<RouterValidation, undefined> {
  const count = nodes.length;
  yield { count };
  const isOnline = ({ id, isController }: ValidatedNode): boolean =>
    isController || presence.router(id) !== undefined;
  for (const node of nodes.filter((each) => !isOnline(each))) {
    yield { count, result: resultOf(node, OFFLINE) };
  }
  const byId = new Map(nodes.filter(isOnline).map((node) => [node.id, node]));
  for await (const { nodeId, result } of presence.validations.run(
    stepsOfNodes([...byId.keys()]),
    task,
    signal,
  )) {
    const node = byId.get(nodeId);
    if (node) yield { count, result: resultOf(node, result) };
  }
}

const OFFLINE = notValidated('it is not connected');

const resultOf = (
  { id: nodeId, name, isController }: ValidatedNode,
  { isDone, isValid, errors, details }: ValidationResult,
): RouterValidationResult => ({
  ...{ nodeId, name, isController },
  ...{ isDone, isValid, errors, details },
});

@Resolver(() => RouterValidation)
export class RouterValidationResolver {
  @Needs(ADMIN)
  @Subscription(() => RouterValidation, {
    description:
      'Has routers compare what they have with what the controller has, at any controller. The first event has the number of results; each router then gives one, as soon as it has answered, and at the latest after a minute. Ten routers are asked at a time. The subscription ends after the last result.',
    subscribe: subscription(followValidation),
  })
  routerValidation(
    @Arg('kind', () => Kind, { description: 'What the routers are compared by.' })
    _kind: RouterValidationKind,
    @Arg('filter', () => String, {
      nullable: true,
      description: 'Only routers that match this filter; default: all.',
    })
    _filter: string | null,
    @Arg('withControllers', () => Boolean, {
      defaultValue: false,
      description: 'Whether controllers compare their data model with the database, too.',
    })
    _withControllers: boolean,
    @Arg('fix', () => Boolean, {
      defaultValue: false,
      description: 'Whether a router replaces a data model that differs.',
    })
    _fix: boolean,
    @Root() event: RouterValidation,
  ): RouterValidation {
    return event;
  }
}
