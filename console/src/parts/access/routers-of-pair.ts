import type { Explanation } from './pair.js';

type Routers = Explanation['routers'];

interface Policy {
  readonly policyId: string;
  readonly policyName: string;
}

/** A router with the policies by which each side may use it; empty: the side may not. */
export interface RouterOfPair {
  readonly routerId: string;
  readonly routerName: string;
  readonly isOnline: boolean | null;
  readonly isDisabled: boolean | null;
  readonly byIdentity: readonly Policy[];
  readonly byService: readonly Policy[];
}

/** Whether both sides may use the router. */
export const isCommon = ({ byIdentity, byService }: RouterOfPair): boolean =>
  byIdentity.length > 0 && byService.length > 0;

export function routersOfPair({ identitySide, serviceSide }: Routers): readonly RouterOfPair[] {
  const all = new Map<string, RouterOfPair>();
  for (const { edgeRouterPolicies, ...router } of identitySide) {
    all.set(router.routerId, { ...router, byIdentity: edgeRouterPolicies, byService: [] });
  }
  for (const { serviceEdgeRouterPolicies, ...router } of serviceSide) {
    const byIdentity = all.get(router.routerId)?.byIdentity ?? [];
    all.set(router.routerId, { ...router, byIdentity, byService: serviceEdgeRouterPolicies });
  }
  return [...all.values()];
}
