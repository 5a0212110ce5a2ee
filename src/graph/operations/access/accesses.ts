import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, ID, Info, Query, Resolver, Root } from 'type-graphql';
import {
  GrantingPolicy,
  grantingPaths,
  type AccessModel,
  type AccessQuery,
  accessQuery,
  type Ends,
  type NameSources,
} from '../../../access/analysis/index.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { objects } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { ApiError } from '../../../base/errors.js';
import { merged } from '../../../base/merged.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { may, orOwn, permit } from '../../../kernel/declare/permissions.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { RowOf, SelectedOf } from '../../../kernel/declare/rows.js';
import { Identity } from '../../../resources/identities/identity.js';
import { ServicePolicy } from '../../../resources/policies/service-policy.js';
import { Service } from '../../../resources/services/service.js';
import { listAccesses, type Grant } from '../../analysis/access-list.js';
import { AccessConnection, AccessGrant, AccessListArgs } from './accesses-types.js';
import { GRANT_COLUMNS, LAST_USE } from './grant-body.js';

/** The permissions that lists of pairs need. */
const READ = ['identity', 'service', 'service-policy'];

@Resolver()
export class AccessesResolver {
  @Rest({
    method: 'GET',
    path: '/accesses',
    operationId: 'listAccesses',
    tag: 'analysis',
    arguments: { where: 'default' },
    selectionArguments: LAST_USE,
    errors: [404, 410],
    answer: { kind: 'list', without: ['paths'], columns: GRANT_COLUMNS },
  })
  @Needs(may('identity', 'read'))
  @AlsoReads(...READ)
  @Runs({ lane: 'background' })
  @Query(() => AccessConnection, {
    description:
      'Identities and the services that policies let them dial or bind: pairs in the order of their ids. Posture is left out.',
  })
  accesses(
    @Arg('identityId', () => ID, { nullable: true, description: 'Only pairs with this identity.' })
    identityId: string | undefined,
    @Arg('serviceId', () => ID, { nullable: true, description: 'Only pairs with this service.' })
    serviceId: string | undefined,
    @Arg('servicePolicyId', () => ID, {
      nullable: true,
      description: 'Only pairs that this policy grants.',
    })
    servicePolicyId: string | undefined,
    @Args(() => AccessListArgs) args: AccessListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return accessPage(ctx, { identityId, serviceId, servicePolicyId }, args, info);
  }
}

@Resolver(() => Identity)
export class IdentityAccessResolver {
  @Needs(may('service', 'read'))
  @FieldResolver(() => AccessConnection, { description: 'Services that it may dial or bind.' })
  access(
    @Root() { id }: Pick<RowOf<'Identity'>, 'id'>,
    @Args(() => AccessListArgs) args: AccessListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return accessPage(ctx, { identityId: id }, args, info, EMPTY_IF_MISSING);
  }
}

@Resolver(() => Service)
export class ServiceAccessResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, { description: 'Identities that may dial or bind it.' })
  access(
    @Root() { id }: Pick<RowOf<'Service'>, 'id'>,
    @Args(() => AccessListArgs) args: AccessListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return accessPage(ctx, { serviceId: id }, args, info, EMPTY_IF_MISSING);
  }
}

@Resolver(() => ServicePolicy)
export class ServicePolicyAccessResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, { description: 'The pairs that it grants.' })
  access(
    @Root() { id }: Pick<RowOf<'ServicePolicy'>, 'id'>,
    @Args(() => AccessListArgs) args: AccessListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Page> {
    return accessPage(ctx, { servicePolicyId: id }, args, info, EMPTY_IF_MISSING);
  }
}

@Resolver(() => AccessGrant)
export class AccessGrantResolver {
  @Needs(orOwn(may('identity', 'read')))
  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'The identity; null if it no longer exists.',
  })
  identity(
    @Root() { identityId }: Grant,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'> | undefined> {
    return readEntity(ctx, ctx.catalog.resources.Identity, identityId, info);
  }

  @Needs(orOwn(may('service', 'read')))
  @FieldResolver(() => Service, {
    nullable: true,
    description: 'The service; null if it no longer exists.',
  })
  service(
    @Root() { serviceId }: Grant,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Service'> | undefined> {
    return readEntity(ctx, ctx.catalog.resources.Service, serviceId, info);
  }

  @Needs(may('service-policy', 'read'))
  @FieldResolver(outputType(objects(() => GrantingPolicy)), {
    description: 'Every policy that grants it.',
  })
  paths(@Root() { model, identityId, serviceId, type, ...grant }: Grant): readonly Granting[] {
    const { newName, place } = grant;
    const paths = grantingPaths(model, identityId, serviceId, type);
    return paths.map((path) => merged(path, { newName, place }));
  }
}

type Granting = GrantingPolicy & NameSources;

@Resolver(() => GrantingPolicy)
export class GrantingPolicyResolver {
  @Needs(may('service-policy', 'read'))
  @FieldResolver(() => ServicePolicy, {
    nullable: true,
    description: 'The present policy; null if it no longer exists.',
  })
  policy(
    @Root() { policyId }: GrantingPolicy,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'ServicePolicy'> | undefined> {
    return readEntity(ctx, ctx.catalog.resources.ServicePolicy, policyId, info);
  }
}

/** An entity that exists now may be missing at the requested point in the past. */
const EMPTY_IF_MISSING = { orNothing: true };

function accessPage(
  ctx: RequestContext,
  ends: Ends,
  args: AccessListArgs,
  info: GraphQLResolveInfo,
  { orNothing: isEmptyIfMissing } = { orNothing: false },
): Promise<Page> {
  for (const entity of READ) permit(ctx, may(entity, 'read'));
  const queryOn = (model: AccessModel): Promise<AccessQuery> => {
    const query = accessQuery(ctx, model, ends, args);
    return isEmptyIfMissing ? query.catch(nothingWhereMissing) : query;
  };
  return listAccesses(ctx, queryOn, args, info);
}

function nothingWhereMissing(error: unknown): AccessQuery {
  if (error instanceof ApiError && error.code === 'NOT_FOUND') return { identities: [] };
  throw error;
}
