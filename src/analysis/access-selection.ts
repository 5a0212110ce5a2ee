import { Bitset } from '../policy/index.js';
import type {
  EntityKind,
  EntityValue,
  IndexedPolicy,
  ServicePolicyType,
  Side,
} from '../policy/index.js';
import { everyone, membersOf, TYPES } from './access-model.js';
import type { AccessModel } from './access-model.js';
import { ACCESS } from './relation.js';
import type { Relation } from './relation.js';
import { eachSliced } from './slices.js';
import type { Sliced } from './slices.js';
import { TargetSpace } from './target-space.js';

/** Which pairs are asked for; whatever is left out does not restrict them. */
export interface AccessQuery {
  readonly identities?: readonly string[];
  readonly services?: readonly string[];
  readonly type?: ServicePolicyType;
  /** By ordinal in the model: what filters on attributes or tags have found on either end. */
  readonly where?: { readonly identities?: Bitset; readonly services?: Bitset };
}

/** Up to so many entities are looked at one by one. */
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

  /** The relation, of the types asked for. */
  get relation(): Relation {
    const layerOf = (policy: IndexedPolicy): number | undefined =>
      this.isOfType(policy) ? ACCESS.layerOf(policy) : undefined;
    return { ...ACCESS, layerOf };
  }

  /** The services asked for. */
  space(): Sliced<TargetSpace> {
    const services = this.services ?? everyone(this.model, 'service');
    const among = TYPES.map((type) => (this.types.includes(type) ? services : new Bitset()));
    return TargetSpace.of([this.model], 'service', among);
  }

  /** What the identity reaches of what is asked for, by type. */
  rowOf(identityId: string): Bitset[] {
    const identity = this.model.entity('identity', identityId);
    return this.byType('identities', identity, 'services', this.services);
  }

  /** Who of those asked for reaches the service, by type. */
  columnOf(serviceId: string): Bitset[] {
    const service = this.model.entity('service', serviceId);
    return this.byType('services', service, 'identities', this.identities);
  }

  /** The identities with at least one of the pairs. */
  *withPairs(): Sliced<Bitset> {
    const { model } = this;
    const granting = yield* this.granting();
    const found = membersOf(model, 'servicePolicy', granting, 'identities');
    return this.identities ? found.and(this.identities) : found;
  }

  /** The policies that grant somebody a service asked for. */
  private *granting(): Sliced<IndexedPolicy[]> {
    const { model, services } = this;
    const few = this.fewServices;
    const granting = new Map<string, IndexedPolicy>();
    for (const id of few ?? []) {
      for (const policy of policiesWith(model, 'services', model.entity('service', id))) {
        if (this.isOfType(policy)) granting.set(policy.id, policy);
      }
    }
    if (few) return [...granting.values()];
    const wanted = services ?? everyone(model, 'service');
    yield* eachSliced([...model.policies('servicePolicy')], 64, (policy) => {
      if (!this.isOfType(policy)) return;
      const members = membersOf(model, 'servicePolicy', [policy], 'services');
      if (members.intersects(wanted)) granting.set(policy.id, policy);
    });
    return [...granting.values()];
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
  const found = new Bitset();
  for (const id of ids) {
    const ordinal = model.ordinalOf(kind, id);
    if (ordinal !== undefined && where?.has(ordinal) !== false) found.set(ordinal);
  }
  return found;
}
