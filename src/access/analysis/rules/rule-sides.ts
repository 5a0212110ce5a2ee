import { parseRoles } from '../../../kernel/policy/index.js';
import type {
  Bitset,
  EntityKind,
  IndexedPolicy,
  Semantic,
  ServicePolicyType,
} from '../../../kernel/policy/index.js';
import { compareBytes } from '../../../base/byte-order.js';
import { allOrdinals, membersOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { smallest } from '../pairs/byte-sorting.js';
import { ACCESS } from '../pairs/relation.js';
import type { Relation } from '../pairs/relation.js';

/** A condition on every pair of an identity and a service in the two sides. */
export interface AccessRule {
  readonly id: string;
  readonly kind: 'MUST_REACH' | 'MUST_NEVER_REACH';
  /** Role lists in the form of policies. */
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly semantic: Semantic;
  readonly type: ServicePolicyType;
}

/** A rule that does not hold, with the first pair that violates it. */
export interface Violation {
  readonly ruleId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: ServicePolicyType;
}

/** The members of the sides of a rule in one model. */
export class RuleSides {
  readonly identities: Bitset;
  readonly services: Bitset;

  constructor(
    readonly model: AccessModel,
    private readonly rule: AccessRule,
  ) {
    this.identities = this.side('identity', rule.identityRoles);
    this.services = this.side('service', rule.serviceRoles);
  }

  hasIdentity(id: string): boolean {
    return this.identities.has(this.model.ordinalOf('identity', id) ?? -1);
  }

  hasService(id: string): boolean {
    return this.services.has(this.model.ordinalOf('service', id) ?? -1);
  }

  /** Gives the services that violate the rule for an identity that reaches the given services. */
  wrongServices(identityId: string, reached: Bitset): Bitset {
    if (!this.hasIdentity(identityId)) return this.services.clone().andNot(this.services);
    return this.wrong(this.services, reached);
  }

  /** Gives the identities that violate the rule for a service, from those that reach it. */
  wrongIdentities(serviceId: string, reaching: Bitset): Bitset {
    if (!this.hasService(serviceId)) return this.identities.clone().andNot(this.identities);
    return this.wrong(this.identities, reaching);
  }

  private wrong(members: Bitset, joined: Bitset): Bitset {
    const wrong = members.clone();
    return this.rule.kind === 'MUST_REACH' ? wrong.andNot(joined) : wrong.and(joined);
  }

  /** A rule that forbids access to `#all`, or to an id, forbids it to identities that are pending, too. */
  private side(kind: EntityKind, texts: readonly string[]): Bitset {
    const roles = parseRoles(texts);
    const { semantic } = this.rule;
    const members = this.model.union(kind, [{ roles, semantic }]);
    if (this.rule.kind === 'MUST_REACH') return members;
    if (roles.all) return allOrdinals(this.model, kind);
    for (const id of roles.ids) {
      const ordinal = this.model.ordinalOf(kind, id);
      if (ordinal !== undefined) members.set(ordinal);
    }
    return members;
  }
}

/** Restricts access to one type. */
export const accessOfType = (type: ServicePolicyType): Relation => ({
  ...ACCESS,
  layers: 1,
  layerOf: (policy) => (policy.type === type ? 0 : undefined),
});

/** Gives the services that an identity reaches by a type, or the identities that reach a service. */
export function joinedWith(
  model: AccessModel,
  kind: 'identity' | 'service',
  id: string,
  type: ServicePolicyType,
): Bitset {
  const [from, to] =
    kind === 'identity'
      ? (['identities', 'services'] as const)
      : (['services', 'identities'] as const);
  const entity = model.entity(kind, id);
  const policies = entity ? model.policiesWith('servicePolicy', from, entity) : [];
  const isOfType = (policy: IndexedPolicy): boolean => policy.type === type;
  return membersOf(model, 'servicePolicy', policies.filter(isOfType), to);
}

export const firstOf = (
  model: AccessModel,
  kind: EntityKind,
  members: Bitset,
): string | undefined => smallest(model.idsOf(kind, members), 1)[0];

/** Gives the violation by the first of the pairs, if there is one. */
export function violationBy(
  { id, type }: AccessRule,
  pairs: readonly (readonly [identityId: string, serviceId: string])[],
): Violation[] {
  const [first] = pairs.toSorted(([a, s], [b, t]) => compareBytes(a, b) || compareBytes(s, t));
  return first ? [{ ruleId: id, identityId: first[0], serviceId: first[1], type }] : [];
}
