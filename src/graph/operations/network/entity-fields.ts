import type { GraphQLResolveInfo } from 'graphql';
import {
  AccessAssignment,
  AccessCheck,
  AccessEdgeRouterPolicy,
  AccessPath,
  AccessRouter,
  AccessServiceEdgeRouterPolicy,
  FindingEntity,
  NearestMiss,
  RemainingAccess,
  UnusedAccess,
  resourceOf,
} from '../../../access/analysis/index.js';
import { AccessReviewLine, ReviewedPolicy } from '../../../data/rows/access-review/index.js';
import { CheckFailure, PostureAffectedService } from '../../../trust/posture/index.js';
import { Ctx, FieldResolver, Info, Resolver, Root, type ClassType } from 'type-graphql';
import type { RequestContext } from '../../../kernel/request/context.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { Node } from '../../../kernel/graph/node.js';
import { reading } from '../../../kernel/declare/permissions.js';
import { addOperation, readEntity } from '../../../kernel/graph/resolvers.js';
import type { ResourceName } from '../../../kernel/declare/rows.js';
import { catalog } from '../../../resources/index.js';
import { AuthQuery } from '../../../resources/trust/auth-query.js';
import { PostureQuery } from '../../../resources/services/service-view.js';
import { SessionRouter } from '../../../resources/sessions/session-routers.js';
import type { ShownChange, ShownEntity } from '../../analysis/finding-page.js';
import { AccessMapMember } from '../access/access-map-types.js';
import { CertificatePreview } from '../authentication/certificate-preview.js';
import { ExternalJwtPreview } from '../authentication/external-jwt-preview.js';
import { KeepingPolicy } from '../access/review-revocation.js';
import { ProposedChange } from '../access/what-if-types.js';
import { UnusedIdentity, UnusedService } from '../access/unused-access-types.js';
import { FailedLogin } from '../controller/login-overview.js';
import { Usage } from './usage-resolver.js';
import { CircuitChange } from './circuit-changes.js';
import { readNode, type AnyEntity } from './node-resolver.js';
import { RouterStatusChange } from './router-status-resolver.js';

/*
 * The entities behind the ids in answers. An answer itself has no `id`, because its content depends
 * on the question: a cache of a client must not mix two answers about one entity.
 */

interface EntityField {
  readonly on: ClassType;
  readonly name: string;
  /** The resource, and the member of the answer with its id. */
  readonly resource: ResourceName;
  readonly idIn: string;
}

const entityField = <T extends object>(
  on: ClassType<T>,
  name: string,
  resource: ResourceName,
  idIn: keyof T & string,
): EntityField => ({ on, name, resource, idIn });

const FIELDS: readonly EntityField[] = [
  entityField(AccessPath, 'policy', 'ServicePolicy', 'policyId'),
  entityField(NearestMiss, 'policy', 'ServicePolicy', 'policyId'),
  entityField(AccessEdgeRouterPolicy, 'policy', 'EdgeRouterPolicy', 'policyId'),
  entityField(AccessServiceEdgeRouterPolicy, 'policy', 'ServiceEdgeRouterPolicy', 'policyId'),
  entityField(AccessRouter, 'router', 'EdgeRouter', 'routerId'),
  entityField(AccessCheck, 'postureCheck', 'PostureCheck', 'postureCheckId'),
  entityField(AccessAssignment, 'requestedBy', 'Identity', 'requestedById'),
  entityField(AccessAssignment, 'approvedBy', 'Identity', 'approvedById'),
  entityField(PostureQuery, 'postureCheck', 'PostureCheck', 'postureCheckId'),
  entityField(PostureAffectedService, 'service', 'Service', 'serviceId'),
  entityField(CheckFailure, 'postureCheck', 'PostureCheck', 'postureCheckId'),
  entityField(SessionRouter, 'router', 'EdgeRouter', 'routerId'),
  entityField(UnusedAccess, 'policy', 'ServicePolicy', 'policyId'),
  entityField(UnusedIdentity, 'identity', 'Identity', 'identityId'),
  entityField(UnusedService, 'service', 'Service', 'serviceId'),
  entityField(AccessReviewLine, 'identity', 'Identity', 'identityId'),
  entityField(AccessReviewLine, 'service', 'Service', 'serviceId'),
  entityField(AccessReviewLine, 'decidedBy', 'Identity', 'decidedById'),
  entityField(ReviewedPolicy, 'policy', 'ServicePolicy', 'policyId'),
  entityField(RemainingAccess, 'identity', 'Identity', 'identityId'),
  entityField(RemainingAccess, 'service', 'Service', 'serviceId'),
  entityField(KeepingPolicy, 'policy', 'ServicePolicy', 'policyId'),
  entityField(Usage, 'service', 'Service', 'serviceId'),
  entityField(Usage, 'identity', 'Identity', 'identityId'),
  entityField(FailedLogin, 'identity', 'Identity', 'identityId'),
  entityField(ExternalJwtPreview, 'signer', 'ExternalJwtSigner', 'signerId'),
  entityField(ExternalJwtPreview, 'identity', 'Identity', 'identityId'),
  entityField(CertificatePreview, 'authority', 'CertificateAuthority', 'authorityId'),
  entityField(CertificatePreview, 'identity', 'Identity', 'identityId'),
  entityField(AuthQuery, 'signer', 'AuthenticationSigner', 'signerId'),
  entityField(RouterStatusChange, 'router', 'Router', 'routerId'),
  entityField(CircuitChange, 'circuit', 'Circuit', 'circuitId'),
  entityField(CircuitChange, 'service', 'Service', 'serviceId'),
  entityField(CircuitChange, 'identity', 'Identity', 'identityId'),
  entityField(CircuitChange, 'host', 'Identity', 'hostId'),
];

export const entityFieldResolvers = (): ClassType[] => FIELDS.map(resolverOf);

function resolverOf({ on, name, resource, idIn }: EntityField): ClassType {
  const target = emptyClass(`${on.name}EntityResolver`);
  const entity = catalog.resources[resource];
  const description = `The ${entity.label} in its present state; null if it no longer exists.`;
  addOperation(target, {
    name,
    permission: reading(entity),
    declare: FieldResolver((() => entity.shape) as () => ClassType, {
      nullable: true,
      description,
    }),
    parameters: [Root(), Ctx(), Info()],
    body: (
      answer: Readonly<Record<string, unknown>>,
      ctx: RequestContext,
      info: GraphQLResolveInfo,
    ) => {
      const id = answer[idIn];
      return typeof id === 'string' ? readEntity(ctx, entity, id, info) : null;
    },
  });
  Resolver(() => on)(target);
  return target;
}

const ANY_ENTITY = {
  nullable: true,
  description: 'The present entity; null if it does not exist at present.',
};

const entityOfKind = async (
  ctx: RequestContext,
  kind: ShownEntity['kind'],
  id: string | null,
  info: GraphQLResolveInfo,
): Promise<AnyEntity | null> =>
  id === null ? null : ((await readNode(ctx, resourceOf(ctx, kind), id, info)) ?? null);

@Resolver(() => FindingEntity)
export class FindingEntityEntityResolver {
  @FieldResolver(() => Node, ANY_ENTITY)
  entity(
    @Root() { kind, entityId }: ShownEntity,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AnyEntity | null> {
    return entityOfKind(ctx, kind, entityId, info);
  }
}

@Resolver(() => AccessMapMember)
export class AccessMapMemberEntityResolver {
  @FieldResolver(() => Node, ANY_ENTITY)
  entity(
    @Root() { kind, entityId }: ShownEntity,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AnyEntity | null> {
    return entityOfKind(ctx, kind, entityId, info);
  }
}

@Resolver(() => ProposedChange)
export class ProposedChangeEntityResolver {
  @FieldResolver(() => Node, ANY_ENTITY)
  entity(
    @Root() { type, entityId }: ShownChange,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<AnyEntity | null> {
    return entityOfKind(ctx, type, entityId, info);
  }
}
