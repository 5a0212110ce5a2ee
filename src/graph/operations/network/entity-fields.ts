import type { GraphQLResolveInfo } from 'graphql';
import { Ctx, FieldResolver, Info, Resolver, Root, type ClassType } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Node } from '../../../kernel/graph/node.js';
import { reading } from '../../../kernel/declare/permissions.js';
import { readEntity } from '../../../kernel/graph/resolvers.js';
import type { Row } from '../../../base/row.js';
import { catalog } from '../../../resources/index.js';
import { AuthQuery } from '../../../resources/auth-query.js';
import { PostureQuery } from '../../../resources/service-view.js';
import { SessionRouter } from '../../../resources/session-routers.js';
import { resourceOf } from '../../analysis/entity-name.js';
import type { ShownChange, ShownEntity } from '../../analysis/finding-page.js';
import {
  AccessCheck,
  AccessEdgeRouterPolicy,
  AccessPath,
  AccessRouter,
  AccessServiceEdgeRouterPolicy,
  NearestMiss,
} from '../access/access-types.js';
import { PostureAffectedService } from '../posture/posture.js';
import { CheckFailure } from '../posture/posture-failure-types.js';
import { FindingEntity, ProposedChange } from '../access/what-if-types.js';

/*
 * The entities behind the ids in answers. An answer itself carries no `id`: it says something else
 * of the same entity wherever it is asked for.
 */

interface EntityField {
  readonly on: ClassType;
  readonly name: string;
  /** The resource, and the member of the answer that holds its id. */
  readonly resource: string;
  readonly idIn: string;
}

const FIELDS: readonly EntityField[] = [
  { on: AccessPath, name: 'policy', resource: 'ServicePolicy', idIn: 'policyId' },
  { on: NearestMiss, name: 'policy', resource: 'ServicePolicy', idIn: 'policyId' },
  { on: AccessEdgeRouterPolicy, name: 'policy', resource: 'EdgeRouterPolicy', idIn: 'policyId' },
  {
    on: AccessServiceEdgeRouterPolicy,
    name: 'policy',
    resource: 'ServiceEdgeRouterPolicy',
    idIn: 'policyId',
  },
  { on: AccessRouter, name: 'router', resource: 'EdgeRouter', idIn: 'routerId' },
  { on: AccessCheck, name: 'postureCheck', resource: 'PostureCheck', idIn: 'postureCheckId' },
  { on: PostureQuery, name: 'postureCheck', resource: 'PostureCheck', idIn: 'postureCheckId' },
  { on: PostureAffectedService, name: 'service', resource: 'Service', idIn: 'serviceId' },
  { on: CheckFailure, name: 'postureCheck', resource: 'PostureCheck', idIn: 'postureCheckId' },
  { on: SessionRouter, name: 'router', resource: 'EdgeRouter', idIn: 'routerId' },
  { on: AuthQuery, name: 'signer', resource: 'AuthenticationSigner', idIn: 'signerId' },
];

export const entityFieldResolvers = (): ClassType[] => FIELDS.map(resolverOf);

function resolverOf({ on, name, resource, idIn }: EntityField): ClassType {
  const target = emptyClass(`${on.name}EntityResolver`);
  const prototype = target.prototype as Record<string, unknown>;
  const entity = catalog.get(resource);
  prototype[name] = (row: Row, ctx: RequestContext, info: GraphQLResolveInfo) => {
    const id = row[idIn];
    return typeof id === 'string' ? readEntity(ctx, entity, id, info) : null;
  };
  for (const [i, decorate] of [Root(), Ctx(), Info()].entries()) decorate(prototype, name, i);
  Needs(reading(entity))(prototype, name);
  const description = `The ${entity.label} as it is now; null when it is gone since.`;
  FieldResolver((() => entity.shape) as () => ClassType, { nullable: true, description })(
    prototype,
    name,
    Object.getOwnPropertyDescriptor(prototype, name) ?? {},
  );
  Resolver(() => on)(target);
  return target;
}

const ANY_ENTITY = {
  nullable: true,
  description: 'It as it is now; null when it is gone, or not in the network yet.',
};

const anyEntity = async (
  ctx: RequestContext,
  kind: ShownEntity['kind'],
  id: string | null,
  info: GraphQLResolveInfo,
): Promise<Row | null> => {
  const resource = resourceOf(ctx, kind);
  const row = id === null ? undefined : await readEntity(ctx, resource, id, info);
  return row ? { ...row, __typename: resource.name } : null;
};

@Resolver(() => FindingEntity)
export class FindingEntityEntityResolver {
  @FieldResolver(() => Node, ANY_ENTITY)
  entity(
    @Root() { kind, entityId }: ShownEntity,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | null> {
    return anyEntity(ctx, kind, entityId, info);
  }
}

@Resolver(() => ProposedChange)
export class ProposedChangeEntityResolver {
  @FieldResolver(() => Node, ANY_ENTITY)
  entity(
    @Root() { type, entityId }: ShownChange,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Row | null> {
    return anyEntity(ctx, type, entityId, info);
  }
}
