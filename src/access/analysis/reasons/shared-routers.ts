import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import type {
  Bitset,
  EntityValue,
  IndexedPolicy,
  PolicyKind,
  Side,
} from '../../../kernel/policy/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { isIn } from './granting-paths.js';

/** A router that an identity or a service may use, with the policies that allow it. */
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
  /** The routers of both sides, each with the policies of both. */
  readonly common: readonly UsableRouter[];
}

export interface RouterFacts {
  readonly isRouterOnline: (routerId: string) => boolean;
  readonly isRouterDisabled: (routerId: string) => boolean;
}

/** The routers between an identity and a service. */
export class SharedRouters {
  readonly #identity: RoutersThrough;
  readonly #service: RoutersThrough;
  readonly #common: Bitset;

  constructor(
    private readonly model: AccessModel,
    identity: EntityValue,
    service: EntityValue,
    private readonly facts: RouterFacts,
  ) {
    this.#identity = new RoutersThrough(model, 'edgeRouterPolicy', 'identities', identity);
    this.#service = new RoutersThrough(model, 'serviceEdgeRouterPolicy', 'services', service);
    this.#common = this.#identity.routers.clone().and(this.#service.routers);
  }

  get isNone(): boolean {
    return this.#common.isEmpty();
  }

  /** Whether one of the common routers is online and enabled. */
  get hasOneUp(): boolean {
    const { isRouterOnline, isRouterDisabled } = this.facts;
    const ids = this.model.idsOf('edgeRouter', this.#common);
    return ids.some((id) => isRouterOnline(id) && !isRouterDisabled(id));
  }

  /** Lists the routers of both sides; routers times policies can be very many. */
  sides(): RouterSides {
    const identitySide: UsableRouter[] = [];
    const serviceSide: UsableRouter[] = [];
    const common: UsableRouter[] = [];
    const any = this.#identity.routers.clone().or(this.#service.routers);
    for (const routerId of byteSorted(this.model.idsOf('edgeRouter', any))) {
      const router = this.model.entity('edgeRouter', routerId);
      if (!router) continue;
      const attributesKey = router.attributes.join('\0');
      const identityPolicyIds = this.#identity.policiesWith(router, attributesKey);
      const servicePolicyIds = this.#service.policiesWith(router, attributesKey);
      const isOnline = this.facts.isRouterOnline(routerId);
      const isDisabled = this.facts.isRouterDisabled(routerId);
      const state = { routerId, isOnline, isDisabled };
      if (identityPolicyIds.length > 0) identitySide.push(usable(state, identityPolicyIds, NONE));
      if (servicePolicyIds.length > 0) serviceSide.push(usable(state, NONE, servicePolicyIds));
      if (identityPolicyIds.length > 0 && servicePolicyIds.length > 0)
        common.push(usable(state, identityPolicyIds, servicePolicyIds));
    }
    return { identitySide, serviceSide, common };
  }
}

const NONE: readonly string[] = [];

/** Members are spelled out: there are many objects, and spreading is several times slower. */
const usable = (
  { routerId, isOnline, isDisabled }: Pick<UsableRouter, 'routerId' | 'isOnline' | 'isDisabled'>,
  edgeRouterPolicyIds: readonly string[],
  serviceEdgeRouterPolicyIds: readonly string[],
): UsableRouter => ({
  routerId,
  isOnline,
  isDisabled,
  edgeRouterPolicyIds,
  serviceEdgeRouterPolicyIds,
});

/** The routers that an entity reaches through policies of one kind. */
class RoutersThrough {
  readonly routers: Bitset;
  /** In byte order of their ids. */
  readonly #policies: readonly IndexedPolicy[];
  readonly #routerIdsInRoles: ReadonlySet<string>;
  /** Routers with the same attributes are in the same policies, unless one names them. */
  readonly #byAttributes = new Map<string, readonly string[]>();

  constructor(model: AccessModel, kind: PolicyKind, side: Side, entity: EntityValue) {
    this.#policies = model
      .policiesWith(kind, side, entity)
      .sort((a, b) => compareBytes(a.id, b.id));
    this.#routerIdsInRoles = new Set(
      this.#policies.flatMap((policy) => rolesOn(policy, 'edgeRouters').ids),
    );
    this.routers = membersOf(model, kind, this.#policies, 'edgeRouters');
  }

  /** `key` is equal for routers with equal attributes. */
  policiesWith(router: EntityValue, key: string): readonly string[] {
    if (this.#routerIdsInRoles.has(router.id)) return this.matchingPolicyIds(router);
    const policyIds = this.#byAttributes.get(key) ?? this.matchingPolicyIds(router);
    this.#byAttributes.set(key, policyIds);
    return policyIds;
  }

  private matchingPolicyIds(router: EntityValue): string[] {
    return this.#policies
      .filter((policy) => isIn(policy, 'edgeRouters', router))
      .map(({ id }) => id);
  }
}
