import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import {
  Arg,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Info,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { circuits } from '../../../data/rows/fabric/index.js';
import { DateTime } from '../../../base/date-time.js';
import { checkInput } from '../../../kernel/write/check-input.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField, notFound } from '../../../base/errors.js';
import { listOf, objectOf, STRING } from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { CLIENT, Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { perRequest } from '../../../kernel/request/per-request.js';
import { permit, SESSION } from '../../../kernel/declare/permissions.js';
import type { JsonObject } from '../../../base/row.js';
import type { RowOf, SelectedOf } from '../../../kernel/declare/rows.js';
import { requested } from '../../../kernel/read/selection.js';
import { deleteIn, originOf } from '../../../kernel/write/write.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';

import { Session } from '../../../resources/sessions/session.js';
import { openSession as open } from '../../../access/enforcement/index.js';
import { readOwn } from '../../own.js';
import { isOfIdentity } from '../../../resources/own-rows.js';

@InputType({ description: 'A session to open.' })
class OpenSessionInput {
  @Field(() => ID, { nullable: true, description: 'Id of the service; required.' })
  serviceId?: string | null;

  @Field(() => String, { nullable: true, description: '`Dial` (the default) or `Bind`.' })
  type?: string | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: 'Labels of a new session.' })
  tags?: JsonObject | null;
}

@ObjectType({ description: 'The freshness of a list of services.', simpleResolvers: true })
class ServiceUpdates {
  @Field(() => DateTime, {
    description:
      'Time of the last change of the services of the caller; compare it only for equality.',
  })
  lastChangeAt!: Date;
}

/** Clients do not see policies. */
const OWN_SESSION: RestAnswer = {
  kind: 'entity',
  title: 'ClientSession',
  without: ['servicePolicies'],
};

const routePathOf = perRequest(
  (ctx) =>
    new DataLoader((ids: readonly string[]) => circuits.routePathsOf(ctx.store, ids), {
      cache: false,
    }),
);

/** Sessions for services, and the operations that clients poll. */
@Resolver(() => Session)
export class OwnSessionsResolver {
  @Rest({
    method: 'GET',
    path: '/sessions/{id}/route-path',
    operationId: 'detailSessionRoutePath',
    answer: {
      kind: 'data',
      view: (routePath: readonly string[]) => ({ routePath }),
      schema: objectOf({ routePath: listOf(STRING) }),
    },
  })
  @FieldResolver(() => [ID], {
    description: 'The routers that carry its traffic, in order; empty without traffic.',
  })
  routePath(
    @Root() { id }: Pick<RowOf<'Session'>, 'id'>,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly string[]> {
    return routePathOf(ctx).load(id);
  }

  @Rest({
    on: CLIENT,
    method: 'GET',
    path: '/sessions/{id}',
    operationId: 'detailSession',
    answer: OWN_SESSION,
  })
  @Runs({ lane: 'first' })
  @Needs(SESSION)
  @Query(() => Session, {
    nullable: true,
    description: 'One of the own sessions; NOT_FOUND for sessions of others.',
  })
  async currentSession(
    @Arg('id', () => ID, { description: 'Id of the session.' }) id: string,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Session'>> {
    const caller = permit(ctx, SESSION);
    const resource = ctx.catalog.resources.Session;
    const columns = columnsFor(resource, requested(info), ctx.catalog, info);
    const visible = (alias: string) => isOfIdentity(alias, caller.identityId);
    const own = await ctx.reader.entity({ resource, columns, id, visible });
    if (!own) throw notFound(resource.label, id);
    return own;
  }

  @Rest({
    on: CLIENT,
    method: 'POST',
    path: '/sessions',
    operationId: 'createSession',
    needs: ['serviceId'],
    isLenient: true,
    status: 201,
    errors: [404, 409],
    answer: OWN_SESSION,
  })
  @Runs({ lane: 'first' })
  @Needs(SESSION)
  @Mutation(() => Session, {
    description: 'Opens a session for a service, or gives the existing one of the API session.',
  })
  async openSession(
    @Arg('input', () => OpenSessionInput, { description: 'The service and the type of access.' })
    input: OpenSessionInput,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Session'> | undefined> {
    const caller = permit(ctx, SESSION);
    const { tags } = checkInput(ctx.catalog.resources.Session, 'create', {
      tags: input.tags ?? {},
    });
    const request = {
      serviceId: serviceIdOf(input),
      type: typeOf(input.type ?? 'Dial'),
      tags: tags ?? {},
    };
    const dependencies = {
      index: ctx.modules.policy,
      checks: ctx.modules.postureChecks,
      posture: ctx.modules.posture,
      tokens: ctx.modules.sessionTokens,
      uses: ctx.modules.accessUses,
    };
    return open(ctx, caller, request, dependencies, (id) => readOwn(ctx, 'Session', id, info));
  }

  @Rest({
    on: CLIENT,
    method: 'DELETE',
    path: '/sessions/{id}',
    operationId: 'deleteSession',
  })
  @Needs(SESSION)
  @Mutation(() => ID, { description: 'Ends one of the own sessions.' })
  async deleteCurrentSession(
    @Arg('id', () => ID, { description: 'Id of the session.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<string> {
    const { identityId } = permit(ctx, SESSION);
    const sessions = ctx.catalog.resources.Session;
    await ctx.store.write(originOf(ctx), async (tx) => {
      const ownSessions = await tx.find(sessions, { id, identityId });
      if (ownSessions.length === 0) throw notFound(sessions.label, id);
      await deleteIn(ctx, tx, sessions, ownSessions);
    });
    return id;
  }

  @Rest({
    on: CLIENT,
    method: 'GET',
    path: '/current-api-session/service-updates',
    operationId: 'listServiceUpdates',
    tag: 'services',
  })
  @Needs(SESSION)
  @Query(() => ServiceUpdates, {
    description: 'Tells a polling client whether its services have changed.',
  })
  currentServiceUpdates(@Ctx() ctx: RequestContext): ServiceUpdates {
    const { identityId, since } = permit(ctx, SESSION);
    const changed = ctx.modules.freshness.lastChange(identityId);
    // A client has no list older than its login.
    return { lastChangeAt: new Date(Math.max(changed, since.getTime())) };
  }
}

function serviceIdOf({ serviceId }: OpenSessionInput): string {
  if (!serviceId) throw invalidField('serviceId', 'serviceId in body is required', '');
  return serviceId;
}

function typeOf(type: string): ServicePolicyType {
  if (type === 'Dial' || type === 'Bind') return type;
  throw invalidField('type', 'type in body should be one of [Dial Bind]', type);
}
