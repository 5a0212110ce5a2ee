import type { Bitset, IndexedPolicy, ServicePolicyType } from '../../../kernel/policy/index.js';
import { allOrdinals, membersOf } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { accessOfType, firstOf, joinedWith, RuleSides, violationBy } from './rule-sides.js';
import type { AccessRule, Violation } from './rule-sides.js';
import { Reach, signatureOf } from '../pairs/reach.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { TargetSpace } from '../pairs/target-space.js';

/** Gives the first counterexample of each rule that does not hold, in the order of the rules. */
export function* violations(model: AccessModel, rules: readonly AccessRule[]): Sliced<Violation[]> {
  const compiled = new Map<ServicePolicyType, TypedAccess>();
  const results: Violation[] = [];
  for (const rule of rules) {
    const sides = new RuleSides(model, rule);
    const access = compiled.get(rule.type) ?? (yield* TypedAccess.of(model, rule.type));
    compiled.set(rule.type, access);
    const identities =
      rule.kind === 'MUST_REACH' ? yield* access.missing(sides) : yield* access.reaching(sides);
    const identityId = firstOf(model, 'identity', identities);
    yield;
    if (identityId === undefined) continue;
    const reached = joinedWith(model, 'identity', identityId, rule.type);
    const wrong = sides.wrongServices(identityId, reached);
    const serviceId = firstOf(model, 'service', wrong);
    if (serviceId !== undefined) results.push(...violationBy(rule, [[identityId, serviceId]]));
  }
  return results;
}

/** The access of one type, prepared once for many rules. */
class TypedAccess {
  private constructor(
    private readonly model: AccessModel,
    private readonly policies: readonly { policy: IndexedPolicy; services: Bitset }[],
    private readonly reach: Reach,
  ) {}

  static *of(model: AccessModel, type: ServicePolicyType): Sliced<TypedAccess> {
    const policies: { policy: IndexedPolicy; services: Bitset }[] = [];
    yield* eachSliced([...model.policies('servicePolicy')], 64, (policy) => {
      if (policy.type !== type) return;
      policies.push({ policy, services: membersOf(model, 'servicePolicy', [policy], 'services') });
    });
    const space = yield* TargetSpace.of([model], 'service', [allOrdinals(model, 'service')]);
    return new TypedAccess(model, policies, new Reach(model, accessOfType(type), space));
  }

  /** Gives the identities of the rule that reach at least one of its services. */
  *reaching({ identities, services }: RuleSides): Sliced<Bitset> {
    const grantingPolicies: IndexedPolicy[] = [];
    yield* eachSliced(this.policies, 512, (entry) => {
      if (entry.services.intersects(services)) grantingPolicies.push(entry.policy);
    });
    return membersOf(this.model, 'servicePolicy', grantingPolicies, 'identities').and(identities);
  }

  /** Gives the identities of the rule that do not reach all of its services. */
  *missing({ identities, services }: RuleSides): Sliced<Bitset> {
    const { model, reach } = this;
    const required = reach.space.row();
    reach.space.add(required, services, 0);
    required.andNot(reach.common);
    const lackingIdentities = identities.clone().andNot(identities);
    if (!required.intersects(required)) return lackingIdentities;
    const isMissingBySignature = new Map<string, boolean>();
    yield* eachSliced(model.idsOf('identity', identities), 32, (id) => {
      const identity = model.entity('identity', id);
      if (!identity) return;
      const terms = reach.termsOf(identity);
      const signature = signatureOf(terms);
      let isMissing = isMissingBySignature.get(signature);
      if (isMissing === undefined) {
        const unreached = required.clone();
        for (const { row } of terms) if (row) unreached.andNot(row);
        isMissing = unreached.intersects(unreached);
        isMissingBySignature.set(signature, isMissing);
      }
      if (isMissing) lackingIdentities.set(model.ordinalOf('identity', id) ?? 0);
    });
    return lackingIdentities;
  }
}
