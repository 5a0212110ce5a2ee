import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, ID, Info, Query, Resolver, Root } from 'type-graphql';
import { PolicyAdvice, policyAdvice } from '../../../access/analysis/index.js';
import { object } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { columnsFor } from '../../../kernel/read/columns.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { failure } from '../../../base/errors.js';
import { entityReference, type EntityReference } from '../../../kernel/declare/rest.js';
import {
  BOOLEAN,
  listOf,
  objectOf,
  ref,
  withProperties,
} from '../../../kernel/declare/rest-schema.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest, type RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { may, orOwn, permit, permits } from '../../../kernel/declare/permissions.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { SelectedOf } from '../../../kernel/declare/rows.js';
import { requested } from '../../../kernel/read/selection.js';
import { merged } from '../../../base/merged.js';
import { column } from '../../../base/sql.js';

import { EdgeRouter } from '../../../resources/routers/edge-router.js';
import { Identity } from '../../../resources/identities/identity.js';
import { Service } from '../../../resources/services/service.js';
import { isAmong } from '../../../kernel/declare/match.js';

/** The members of a router that a caller sees without the permission to read routers. */
const OPEN_ROUTER_FIELDS = ['id', 'nodeId', 'name', 'isOnline', '__typename'];

interface NamedEntity {
  readonly id: string;
  readonly name: string;
}

interface SelectedAdvice {
  readonly identity: NamedEntity;
  readonly service: NamedEntity;
  readonly commonRouters: readonly (NamedEntity & { readonly isOnline: boolean })[];
}

const referenceTo = (collection: string, { id, name }: NamedEntity): EntityReference =>
  entityReference(collection, id, name);

const ADVICE: RestAnswer = {
  kind: 'data',
  view: (advice: SelectedAdvice) =>
    merged(advice, {
      identity: referenceTo('identities', advice.identity),
      service: referenceTo('services', advice.service),
      commonRouters: advice.commonRouters.map((router) =>
        merged(referenceTo('edge-routers', router), { isOnline: router.isOnline }),
      ),
    }),
  schema: (advice) =>
    withProperties(advice, {
      identity: ref('EntityReference'),
      service: ref('EntityReference'),
      commonRouters: listOf({ allOf: [ref('EntityReference'), objectOf({ isOnline: BOOLEAN })] }),
    }),
};

@Resolver(() => PolicyAdvice)
export class PolicyAdviceResolver {
  @Rest({
    method: 'GET',
    path: '/identities/{id}/policy-advice/{serviceId}',
    operationId: 'getIdentityPolicyAdvice',
    arguments: { identityId: { segment: 'id' } },
    answer: ADVICE,
  })
  @Runs({ lane: 'background' })
  @Needs(may('identity', 'read'))
  @Query(outputType(object(() => PolicyAdvice)), {
    description: 'The access of an identity to a service by the policies; posture is left out.',
  })
  policyAdvice(
    @Arg('identityId', () => ID, { description: 'Id of the identity.' }) identityId: string,
    @Arg('serviceId', () => ID, { description: 'Id of the service.' }) serviceId: string,
    @Ctx() ctx: RequestContext,
  ): PolicyAdvice {
    permit(ctx, may('service', 'read'));
    return policyAdvice(ctx.modules.policy, identityId, serviceId);
  }

  @RestMember({ select: 'id name' })
  @Needs(orOwn(may('identity', 'read')))
  @FieldResolver(() => Identity, { description: 'The identity.' })
  identity(
    @Root() { identityId }: PolicyAdvice,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Identity'> | undefined> {
    return readEntity(ctx, ctx.catalog.resources.Identity, identityId, info);
  }

  @RestMember({ select: 'id name' })
  @Needs(orOwn(may('service', 'read')))
  @FieldResolver(() => Service, { description: 'The service.' })
  service(
    @Root() { serviceId }: PolicyAdvice,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'Service'> | undefined> {
    return readEntity(ctx, ctx.catalog.resources.Service, serviceId, info);
  }

  @RestMember({ select: 'id name isOnline' })
  @Needs(may('router', 'read'))
  @FieldResolver(() => [EdgeRouter], {
    description: 'Routers that both may use, by id; their names and states come with the advice.',
  })
  async commonRouters(
    @Root() { commonRouterIds }: PolicyAdvice,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<SelectedOf<'EdgeRouter'>[]> {
    const resource = ctx.catalog.resources.EdgeRouter;
    const selection = requested(info);
    if (
      !permits(ctx.caller, may('router', 'read')) &&
      [...selection.fields.keys()].some((name) => !OPEN_ROUTER_FIELDS.includes(name))
    ) {
      throw failure('UNAUTHORIZED');
    }
    if (commonRouterIds.length === 0) return [];
    const columns = columnsFor(resource, selection, ctx.catalog, info);
    const predicate = (alias: string) => isAmong(alias, commonRouterIds);
    const page = await ctx.reader.page({
      resource,
      columns,
      predicate,
      order: [
        {
          name: 'id',
          type: 'string',
          nullable: false,
          expression: column('e', 'id'),
          direction: 'asc',
        },
      ],
      limit: 'none',
      offset: 0,
      total: 'none',
      cursors: false,
    });
    return page.rows;
  }
}
