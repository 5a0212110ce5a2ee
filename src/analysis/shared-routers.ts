import { byteSorted, compareBytes } from '../kernel/byte-order.js';
import { Bitset } from '../policy/index.js';
import type { EntityValue, PolicyKind, Side } from '../policy/index.js';
import { membersOf } from './access-model.js';
import type { AccessModel } from './access-model.js';

/** A router that an identity or a service may use, with the policies that let it. */
export interface UsableRouter {
  readonly routerId: string;
  readonly isOnline: boolean;
  readonly isDisabled: boolean;
  /** Edge router policies, on the side of the identity. */
  readonly edgeRouterPolicyIds: readonly string[];
  /** Service edge router policies, on the side of the service. */
  readonly serviceEdgeRouterPolicyIds: readonly string[];
}

/** Routers in byte order of their ids, policies too. */
export interface RouterSides {
  readonly identitySide: readonly UsableRouter[];
  readonly serviceSide: readonly UsableRouter[];
  /** On both sides, each with the policies of both. */
  readonly common: readonly UsableRouter[];
}

export interface RouterFacts {
  readonly isRouterOnline: (routerId: string) => boolean;
  readonly isRouterDisabled: (routerId: string) => boolean;
}

export function routerSides(
  model: AccessModel,
  identityId: string,
  serviceId: string,
  facts: RouterFacts,
): RouterSides {
  const identity = model.entity('identity', identityId);
  const service = model.entity('service', serviceId);
  const identitySide = routersThrough(model, 'edgeRouterPolicy', 'identities', identity);
  const serviceSide = routersThrough(model, 'serviceEdgeRouterPolicy', 'services', service);
  const ids = byteSorted(
    model.idsOf('edgeRouter', identitySide.routers.clone().or(serviceSide.routers)),
  );
  const usable = (first: RouterPolicies, second: RouterPolicies, among: Bitset): UsableRouter[] => {
    const routers: UsableRouter[] = [];
    for (const routerId of ids) {
      const ordinal = model.ordinalOf('edgeRouter', routerId) ?? -1;
      if (!among.has(ordinal)) continue;
      routers.push({
        routerId,
        isOnline: facts.isRouterOnline(routerId),
        isDisabled: facts.isRouterDisabled(routerId),
        edgeRouterPolicyIds: first.policiesWith(ordinal),
        serviceEdgeRouterPolicyIds: second.policiesWith(ordinal),
      });
    }
    return routers;
  };
  const common = identitySide.routers.clone().and(serviceSide.routers);
  return {
    identitySide: usable(identitySide, NO_POLICIES, identitySide.routers),
    serviceSide: usable(NO_POLICIES, serviceSide, serviceSide.routers),
    common: usable(identitySide, serviceSide, common),
  };
}

interface RouterPolicies {
  readonly routers: Bitset;
  readonly policiesWith: (router: number) => readonly string[];
}

const NO_POLICIES: RouterPolicies = { routers: new Bitset(), policiesWith: () => [] };

/** What the policies with the entity on one side have on the other. */
function routersThrough(
  model: AccessModel,
  kind: PolicyKind,
  side: Side,
  entity: EntityValue | undefined,
): RouterPolicies {
  if (!entity) return NO_POLICIES;
  const routers = new Bitset();
  const members = model
    .policiesWith(kind, side, entity)
    .sort((a, b) => compareBytes(a.id, b.id))
    .map((policy) => ({ id: policy.id, set: membersOf(model, kind, [policy], 'edgeRouters') }));
  const byRouter: string[][] = [];
  for (const { id, set } of members) {
    routers.or(set);
    set.forEach((router) => (byRouter[router] ??= []).push(id));
  }
  return { routers, policiesWith: (router) => byRouter[router] ?? [] };
}
