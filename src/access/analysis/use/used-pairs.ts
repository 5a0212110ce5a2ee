import { Bitset, OrdinalSet } from '../../../kernel/policy/index.js';
import type { ServicePolicyType } from '../../../kernel/policy/index.js';
import type { AccessModel } from '../model/access-model.js';

/** The used pairs among some identities and some services. */
export interface UsedWithin {
  readonly pairs: number;
  /** The identities and the services of at least one of these pairs. */
  readonly identities: Bitset;
  readonly services: Bitset;
}

/** Pairs of an identity and a service that were used, by the ordinals of a model. */
export class UsedPairs {
  private readonly byType: Readonly<Record<ServicePolicyType, PairsOfType>>;

  constructor(private readonly model: AccessModel) {
    this.byType = { Dial: new PairsOfType(model), Bind: new PairsOfType(model) };
  }

  /** Adds the uses of an identity; identities and services that the model lacks do not count. */
  add(identityId: string, serviceIds: Iterable<string>, type: ServicePolicyType): void {
    const identity = this.model.ordinalOf('identity', identityId);
    if (identity === undefined) return;
    for (const id of serviceIds) {
      const service = this.model.ordinalOf('service', id);
      if (service !== undefined) this.byType[type].add(identity, service);
    }
  }

  within(type: ServicePolicyType, identities: Bitset, services: Bitset): UsedWithin {
    return this.byType[type].within(identities, services);
  }
}

type SetByOrdinal = (OrdinalSet | undefined)[];

/** Pairs from both ends, so that a question begins at the end with less work. */
class PairsOfType {
  private readonly servicesOf: SetByOrdinal;
  private readonly identitiesOf: SetByOrdinal;

  constructor(model: AccessModel) {
    this.servicesOf = emptySets(model.ordinalBound('identity'));
    this.identitiesOf = emptySets(model.ordinalBound('service'));
  }

  add(identity: number, service: number): void {
    const services = (this.servicesOf[identity] ??= new OrdinalSet());
    if (services.has(service)) return;
    services.add(service);
    (this.identitiesOf[service] ??= new OrdinalSet()).add(identity);
  }

  /** Begins at the end with the smaller share of its kind, which has the fewer pairs on average. */
  within(identities: Bitset, services: Bitset): UsedWithin {
    const shareOfServices = services.popcount() / this.identitiesOf.length;
    const shareOfIdentities = identities.popcount() / this.servicesOf.length;
    if (shareOfServices <= shareOfIdentities) {
      const { pairs, outer, inner } = common(services, this.identitiesOf, identities);
      return { pairs, identities: inner, services: outer };
    }
    const { pairs, outer, inner } = common(identities, this.servicesOf, services);
    return { pairs, identities: outer, services: inner };
  }
}

const emptySets = (length: number): SetByOrdinal => Array.from({ length }, () => undefined);

/** The pairs whose outer ends are among `ordinals`, and whose inner ends are among `others`. */
function common(
  ordinals: Bitset,
  sets: SetByOrdinal,
  others: Bitset,
): { readonly pairs: number; readonly outer: Bitset; readonly inner: Bitset } {
  let pairs = 0;
  const outer = new Bitset();
  const inner = new Bitset();
  ordinals.forEach((ordinal) => {
    const count = sets[ordinal]?.addCommon(others, inner) ?? 0;
    if (count === 0) return;
    pairs += count;
    outer.set(ordinal);
  });
  return { pairs, outer, inner };
}
