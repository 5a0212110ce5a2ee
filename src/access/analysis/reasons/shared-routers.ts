import { byteSorted, compareBytes } from '../../../base/byte-order.js';
import {
  attribute,
  bool,
  described,
  id,
  objects,
  text,
} from '../../../kernel/declare/attribute.js';
import type {
  Bitset,
  EntityValue,
  IndexedPolicy,
  PolicyKind,
  Side,
} from '../../../kernel/policy/index.js';
import { membersOf, rolesOn } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { isIn, PAST_NAME } from './granting-paths.js';

/** A policy with its present or past name. */
class NamedPolicy {
  @attribute(id(), { description: 'Id of the policy.', restName: 'id' })
  readonly policyId!: string;

  @attribute(text(), { description: PAST_NAME, restName: 'name' })
  readonly policyName!: string;
}

@described('An edge router policy that allows the use of a router.')
export class AccessEdgeRouterPolicy extends NamedPolicy {}

@described('A service edge router policy that allows the use of a router.')
export class AccessServiceEdgeRouterPolicy extends NamedPolicy {}

@described('A router with the policies that allow its use.')
export class AccessRouter {
  @attribute(id(), { description: 'Id of the router.', restName: 'id' })
  readonly routerId!: string;

  @attribute(text(), { description: PAST_NAME, restName: 'name' })
  readonly routerName!: string;

  @attribute(bool(), {
    nullable: true,
    description: 'Whether it is connected at present; null for the past.',
  })
  readonly isOnline!: boolean | null;

  @attribute(bool(), {
    nullable: true,
    description: 'Whether it is forbidden to connect; null for the past.',
  })
  readonly isDisabled!: boolean | null;

  @attribute(objects(() => AccessEdgeRouterPolicy), {
    description: 'Edge router policies, on the side of the identity.',
  })
  readonly edgeRouterPolicies!: readonly AccessEdgeRouterPolicy[];

  @attribute(objects(() => AccessServiceEdgeRouterPolicy), {
    description: 'Service edge router policies, on the side of the service.',
  })
  readonly serviceEdgeRouterPolicies!: readonly AccessServiceEdgeRouterPolicy[];
}

/** Routers in byte order of their ids, policies too. */
@described('The routers between an identity and a service.')
export class AccessRouters {
  @attribute(objects(() => AccessRouter), { description: 'Routers that the identity may use.' })
  readonly identitySide!: readonly AccessRouter[];

  @attribute(objects(() => AccessRouter), { description: 'Routers that the service may use.' })
  readonly serviceSide!: readonly AccessRouter[];

  /** Each with the policies of both. */
  @attribute(objects(() => AccessRouter), { description: 'Routers that both may use.' })
  readonly common!: readonly AccessRouter[];
}

/** A router before the names are known. */
export interface UsableRouter extends Omit<
  AccessRouter,
  'routerName' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies'
> {
  readonly edgeRouterPolicyIds: readonly string[];
  readonly serviceEdgeRouterPolicyIds: readonly string[];
}

export type RouterSides = Readonly<Record<keyof AccessRouters, readonly UsableRouter[]>>;

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
