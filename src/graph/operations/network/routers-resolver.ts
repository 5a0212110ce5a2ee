import { GraphQLJSONObject } from 'graphql-scalars';
import { Arg, Ctx, Field, ID, InputType, Int, Mutation, Resolver } from 'type-graphql';
import type { JsonObject } from '../../../base/row.js';
import { notFound } from '../../../base/errors.js';
import { routers } from '../../../data/rows/router/index.js';
import { registerRouter, updateRouter, type RouterKind } from '../../../trust/enrollment/index.js';
import { may } from '../../../kernel/declare/permissions.js';
import type { Resource } from '../../../kernel/declare/resource.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { FABRIC, Rest } from '../../../kernel/graph/rest-operation.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { remove } from '../../../kernel/write/write.js';

@InputType({ description: 'Attributes of a router of either kind. Absent ones stay.' })
class RouterChanges {
  @Field(() => String, { nullable: true, description: 'Unique among routers.' })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'SHA-1 of its certificate in hex: it may connect with this certificate at once.',
  })
  fingerprint?: string | null;

  @Field(() => Int, { nullable: true, description: 'Added to the cost of paths through it.' })
  cost?: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Carries no traffic between other routers.',
  })
  noTraversal?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'May not connect.' })
  disabled?: boolean | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Its listeners for control channels: URL -> groups.',
  })
  ctrlChanListeners?: JsonObject | null;

  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description: 'Free names with values of null, string, number or boolean.',
  })
  tags?: JsonObject | null;
}

@InputType({ description: 'A transit router with an id of its own choice.' })
class RouterRegistration extends RouterChanges {
  @Field(() => ID, { description: 'The common name of its certificate.' })
  id!: string;

  @Field(() => String, { description: 'Unique among routers.' })
  declare name: string;
}

@Resolver()
export class RoutersResolver {
  @Rest({
    on: FABRIC,
    method: 'DELETE',
    path: '/routers/{id}',
    operationId: 'deleteRouter',
    arguments: { ifRevision: 'default' },
    errors: [400, 404, 409],
    answer: { kind: 'empty' },
  })
  @Needs(may('router', 'delete'))
  @Mutation(() => ID, { description: 'Deletes a router of either kind and gives its id.' })
  async deleteAnyRouter(
    @Arg('id', () => ID, { description: 'Id of the router.' }) id: string,
    @Arg('ifRevision', () => Int, {
      nullable: true,
      description: 'Refuses with REVISION_CONFLICT if the entity now has another revision.',
    })
    ifRevision: number | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await remove(ctx, await kindOf(ctx, id), id, ifRevision);
    return id;
  }

  @Rest({
    on: FABRIC,
    method: 'POST',
    path: '/routers',
    operationId: 'createRouter',
    needs: ['cost', 'noTraversal'],
    errors: [400, 409],
    answer: { kind: 'created', collection: 'routers' },
  })
  @Needs(may('router', 'create'))
  @Mutation(() => ID, {
    description:
      'Creates a transit router with an id of its own choice, and gives the id. With a fingerprint it needs no enrollment.',
  })
  async registerRouter(
    @Arg('input', () => RouterRegistration, { description: 'The router.' })
    { id, fingerprint, ...input }: RouterRegistration,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    await registerRouter(ctx, id, sent(input), fingerprint ?? undefined);
    return id;
  }

  @Rest(
    {
      on: FABRIC,
      method: 'PUT',
      path: '/routers/{id}',
      operationId: 'updateRouter',
      needs: ['name', 'fingerprint', 'cost', 'noTraversal'],
      errors: [400, 404, 409],
      answer: { kind: 'empty' },
    },
    {
      on: FABRIC,
      method: 'PATCH',
      path: '/routers/{id}',
      operationId: 'patchRouter',
      errors: [400, 404, 409],
      answer: { kind: 'empty' },
    },
  )
  @Needs(may('router', 'update'))
  @Mutation(() => ID, {
    description: 'Changes attributes of a router of either kind, and gives its id.',
  })
  async updateAnyRouter(
    @Arg('id', () => ID, { description: 'Id of the router.' }) id: string,
    @Arg('input', () => RouterChanges, { description: 'The attributes to change.' })
    { fingerprint, ...input }: RouterChanges,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    const router = await kindOf(ctx, id);
    await updateRouter(ctx, router, id, sent(input), fingerprint ?? undefined);
    return id;
  }
}

/** Null counts as not sent. */
const sent = (input: object): JsonObject =>
  Object.fromEntries(
    Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
  );

/** Each kind is written with its own dependent rows. */
async function kindOf(ctx: RequestContext, id: string): Promise<Resource<RouterKind>> {
  const router = await routers.findKind(ctx.store, id);
  if (!router) throw notFound('router', id);
  const { EdgeRouter, TransitRouter } = ctx.catalog.resources;
  return router.isEdge ? EdgeRouter : TransitRouter;
}
