import type { Bitset, IndexedPolicy, ServicePolicyType } from '../policy/index.js';
import { everyone, membersOf } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { accessOfType, firstOf, joinedWith, RuleSides, violationBy } from './rule-sides.js';
import type { AccessRule, Violation } from './rule-sides.js';
import { Reach, signatureOf } from './reach.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import { TargetSpace } from './target-space.js';

/** Of every rule that does not hold the first counterexample, in the order of the rules. */
export function* violations(model: AccessModel, rules: readonly AccessRule[]): Sliced<Violation[]> {
  const compiled = new Map<ServicePolicyType, TypedAccess>();
  const found: Violation[] = [];
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
    if (serviceId !== undefined) found.push(...violationBy(rule, [[identityId, serviceId]]));
  }
  return found;
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
    const space = yield* TargetSpace.of([model], 'service', [everyone(model, 'service')]);
    return new TypedAccess(model, policies, new Reach(model, accessOfType(type), space));
  }

  /** The identities of the rule that reach a service of it. */
  *reaching({ identities, services }: RuleSides): Sliced<Bitset> {
    const granting: IndexedPolicy[] = [];
    yield* eachSliced(this.policies, 512, (held) => {
      if (held.services.intersects(services)) granting.push(held.policy);
    });
    return membersOf(this.model, 'servicePolicy', granting, 'identities').and(identities);
  }

  /** The identities of the rule that do not reach every service of it. */
  *missing({ identities, services }: RuleSides): Sliced<Bitset> {
    const { model, reach } = this;
    const wanted = reach.space.row();
    reach.space.add(wanted, services, 0);
    wanted.andNot(reach.common);
    const found = identities.clone().andNot(identities);
    if (!wanted.intersects(wanted)) return found;
    const known = new Map<string, boolean>();
    yield* eachSliced(model.idsOf('identity', identities), 32, (id) => {
      const identity = model.entity('identity', id);
      if (!identity) return;
      const terms = reach.termsOf(identity);
      const signature = signatureOf(terms);
      let isMissing = known.get(signature);
      if (isMissing === undefined) {
        const left = wanted.clone();
        for (const { row } of terms) if (row) left.andNot(row);
        isMissing = left.intersects(left);
        known.set(signature, isMissing);
      }
      if (isMissing) found.set(model.ordinalOf('identity', id) ?? 0);
    });
    return found;
  }
}
