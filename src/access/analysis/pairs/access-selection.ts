import { Bitset } from '../../../kernel/policy/index.js';
import type {
  EntityKind,
  EntityValue,
  IndexedPolicy,
  ServicePolicyType,
  Side,
} from '../../../kernel/policy/index.js';
import { allOrdinals, membersOf, TYPES } from '../model/access-model.js';
import type { AccessModel } from '../model/access-model.js';
import { ACCESS } from './relation.js';
import type { Relation } from './relation.js';
import { eachSliced } from '../../../base/slices.js';
import type { Sliced } from '../../../base/slices.js';
import { TargetSpace } from './target-space.js';

/** A query for pairs; a member that is absent does not restrict them. */
export interface AccessQuery {
  readonly identities?: readonly string[];
  readonly services?: readonly string[];
  readonly type?: ServicePolicyType;
  /** Ordinals in the model: the results of filters on attributes or tags, for either end. */
  readonly where?: { readonly identities?: Bitset; readonly services?: Bitset };
}

/** Up to this number, entities are read one by one. */
const FEW = 64;

/** A query in terms of a model. */
export class AccessSelection {
  readonly identities: Bitset | undefined;
  readonly services: Bitset | undefined;
  readonly types: readonly ServicePolicyType[];

  constructor(
    readonly model: AccessModel,
    query: AccessQuery,
  ) {
    this.identities = selected(model, 'identity', query.identities, query.where?.identities);
    this.services = selected(model, 'service', query.services, query.where?.services);
    this.types = query.type ? [query.type] : TYPES;
  }

  /** The ids of the identities when they are few. */
  get fewIdentities(): string[] | undefined {
    return this.few('identity', this.identities);
  }

  get fewServices(): string[] | undefined {
    return this.few('service', this.services);
  }

  isOfType = ({ type }: IndexedPolicy): boolean => type !== undefined && this.types.includes(type);

  /** The relation, restricted to the types of the query. */
  get relation(): Relation {
    const layerOf = (policy: IndexedPolicy): number | undefined =>
      this.isOfType(policy) ? ACCESS.layerOf(policy) : undefined;
    return { ...ACCESS, layerOf };
  }

  /** Gives the services of the query. */
  space(): Sliced<TargetSpace> {
    const services = this.services ?? allOrdinals(this.model, 'service');
    const among = TYPES.map((type) => (this.types.includes(type) ? services : new Bitset()));
    return TargetSpace.of([this.model], 'service', among);
  }

  /** Gives the services of the query that the identity reaches, by type. */
  rowOf(identityId: string): Bitset[] {
    return this.rowWith(this.model.entity('identity', identityId));
  }

  /** The same for an identity with other attributes than in the model. */
  rowWith(identity: EntityValue | undefined): Bitset[] {
    return this.byType('identities', identity, 'services', this.services);
  }

  /** Gives the identities of the query that reach the service, by type. */
  columnOf(serviceId: string): Bitset[] {
    const service = this.model.entity('service', serviceId);
    return this.byType('services', service, 'identities', this.identities);
  }

  /** The identities with at least one of the pairs. */
  *withPairs(): Sliced<Bitset> {
    const { model } = this;
    const grantingPolicies = yield* this.granting();
    const identities = membersOf(model, 'servicePolicy', grantingPolicies, 'identities');
    return this.identities ? identities.and(this.identities) : identities;
  }

  /** Gives the policies that grant a service of the query to at least one identity. */
  private *granting(): Sliced<IndexedPolicy[]> {
    const { model, services } = this;
    const fewServices = this.fewServices;
    const grantingPolicies = new Map<string, IndexedPolicy>();
    for (const id of fewServices ?? []) {
      for (const policy of policiesWith(model, 'services', model.entity('service', id))) {
        if (this.isOfType(policy)) grantingPolicies.set(policy.id, policy);
      }
    }
    if (fewServices) return [...grantingPolicies.values()];
    const targetServices = services ?? allOrdinals(model, 'service');
    yield* eachSliced([...model.policies('servicePolicy')], 64, (policy) => {
      if (!this.isOfType(policy)) return;
      const members = membersOf(model, 'servicePolicy', [policy], 'services');
      if (members.intersects(targetServices)) grantingPolicies.set(policy.id, policy);
    });
    return [...grantingPolicies.values()];
  }

  private byType(from: Side, entity: EntityValue | undefined, to: Side, among?: Bitset): Bitset[] {
    const policies = policiesWith(this.model, from, entity);
    return TYPES.map((type) => {
      if (!this.types.includes(type)) return new Bitset();
      const ofType = policies.filter((policy) => policy.type === type);
      const members = membersOf(this.model, 'servicePolicy', ofType, to);
      return among ? members.and(among) : members;
    });
  }

  private few(kind: EntityKind, wanted: Bitset | undefined): string[] | undefined {
    return wanted && wanted.popcount() <= FEW ? this.model.idsOf(kind, wanted) : undefined;
  }
}

const policiesWith = (
  model: AccessModel,
  side: Side,
  entity: EntityValue | undefined,
): IndexedPolicy[] => (entity ? model.policiesWith('servicePolicy', side, entity) : []);

function selected(
  model: AccessModel,
  kind: EntityKind,
  ids: readonly string[] | undefined,
  where: Bitset | undefined,
): Bitset | undefined {
  if (!ids) return where;
  const ordinals = new Bitset();
  for (const id of ids) {
    const ordinal = model.ordinalOf(kind, id);
    if (ordinal !== undefined && where?.has(ordinal) !== false) ordinals.set(ordinal);
  }
  return ordinals;
}
