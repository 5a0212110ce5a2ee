import { notFound } from '../../../base/errors.js';
import { attribute, bool, described, id, int } from '../../../kernel/declare/attribute.js';
import type { PolicyIndex } from '../../../kernel/policy/index.js';

@described('Whether an identity may reach a service, and over which routers.')
export class PolicyAdvice {
  @attribute(id(), { description: 'Id of the identity.' })
  readonly identityId!: string;

  @attribute(id(), { description: 'Id of the service.' })
  readonly serviceId!: string;

  @attribute(bool(), { description: 'Whether a policy lets the identity bind the service.' })
  readonly isBindAllowed!: boolean;

  @attribute(bool(), { description: 'Whether a policy lets the identity dial the service.' })
  readonly isDialAllowed!: boolean;

  @attribute(int(), { description: 'Number of routers that the identity may use.' })
  readonly identityRouterCount!: number;

  @attribute(int(), { description: 'Number of routers that may carry the service.' })
  readonly serviceRouterCount!: number;

  /** In byte order. */
  readonly commonRouterIds!: readonly string[];
}

/**
 * Gives the access of an identity to a service by the policies; posture is left out.
 * @throws ApiError NOT_FOUND for an identity or a service that does not exist
 */
export function policyAdvice(
  index: PolicyIndex,
  identityId: string,
  serviceId: string,
): PolicyAdvice {
  if (!index.entity('identity', identityId)) throw notFound('identity', identityId);
  if (!index.entity('service', serviceId)) throw notFound('service', serviceId);
  const permissions = index.permissions(identityId, serviceId);
  return {
    identityId,
    serviceId,
    isBindAllowed: permissions.includes('Bind'),
    isDialAllowed: permissions.includes('Dial'),
    identityRouterCount: index.routersOfIdentity(identityId).count(),
    serviceRouterCount: index.routersOfService(serviceId).count(),
    commonRouterIds: index.commonRouters(identityId, serviceId),
  };
}
