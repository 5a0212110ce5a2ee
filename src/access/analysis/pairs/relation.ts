import { Bitset, selectedBy } from '../../../kernel/policy/index.js';
import type { EntityKind, IndexedPolicy, PolicyKind, Side } from '../../../kernel/policy/index.js';
import { membersOf, TYPES } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';

/**
 * Pairs that policies make: every member of the side `from` of a policy is paired with all its
 * targets. A relation with layers has several sets of pairs; each policy adds to one of them.
 */
export interface Relation {
  readonly kind: PolicyKind;
  readonly from: Side;
  readonly to: EntityKind;
  readonly layers: number;
  /** Gives undefined for a policy that adds no pairs. */
  readonly layerOf: (policy: IndexedPolicy) => number | undefined;
  /** Gives the targets of members of at least one of the policies. */
  readonly targets: (model: AccessModel) => (policies: readonly IndexedPolicy[]) => Bitset;
}

export const direct = (
  kind: PolicyKind,
  from: Side,
  to: Side,
  layers: Pick<Relation, 'layers' | 'layerOf'> = { layers: 1, layerOf: () => 0 },
): Relation => ({
  kind,
  from,
  to: selectedBy(kind, to),
  ...layers,
  targets: (model) => (policies) => membersOf(model, kind, policies, to),
});

/** Identities with the services they may bind (layer 0) and dial (layer 1). */
export const ACCESS: Relation = direct('servicePolicy', 'identities', 'services', {
  layers: TYPES.length,
  layerOf: ({ type }) => (type === undefined ? undefined : TYPES.indexOf(type)),
});

/** The same pairs in one layer for both types. */
export const ACCESS_OF_ANY_TYPE: Relation = { ...ACCESS, layers: 1, layerOf: () => 0 };

export const IDENTITY_ROUTERS = direct('edgeRouterPolicy', 'identities', 'edgeRouters');
export const SERVICE_ROUTERS = direct('serviceEdgeRouterPolicy', 'services', 'edgeRouters');

/** Identities with the services that share a router with them. */
export const SHARED_ROUTER: Relation = {
  kind: 'edgeRouterPolicy',
  from: 'identities',
  to: 'service',
  layers: 1,
  layerOf: () => 0,
  targets: (model) => {
    const servicesOf = servicesByRouter(model);
    return (policies) => {
      const services = new Bitset(model.ordinalBound('service'));
      const routers = membersOf(model, 'edgeRouterPolicy', policies, 'edgeRouters');
      for (const id of model.idsOf('edgeRouter', routers)) services.or(servicesOf(id));
      return services;
    };
  },
};

function servicesByRouter(model: AccessModel): (routerId: string) => Bitset {
  const cache = new Map<string, Bitset>();
  return (id) => {
    const cachedServices = cache.get(id);
    if (cachedServices) return cachedServices;
    const router = model.entity('edgeRouter', id);
    const policies = router
      ? model.policiesWith('serviceEdgeRouterPolicy', 'edgeRouters', router)
      : [];
    const services = membersOf(model, 'serviceEdgeRouterPolicy', policies, 'services');
    cache.set(id, services);
    return services;
  };
}
