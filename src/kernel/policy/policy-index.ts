import { Access } from './access-set.js';
import { attributeUsage } from './attribute-usage.js';
import type { AttributeUsage } from './attribute-usage.js';
import type { Bitset } from './bitset.js';
import { byteSorted } from '../../base/byte-order.js';
import { EntitySet } from './entity-set.js';
import { mergeSides } from './merged-sides.js';
import type { MergedSides } from './merged-sides.js';
import {
  isPolicyChange,
  isPolicyKind,
  POLICY_KINDS,
  POLICY_SIDES,
  writtenSides,
} from './policy-model.js';
import type {
  AnyPolicyValue,
  EntityKind,
  EntityValue,
  IndexedPolicy,
  PolicyChange,
  PolicyKind,
  PolicyValue,
  Replaced,
  ServicePolicyType,
  Side,
  SideOf,
} from './policy-model.js';
import { PolicySet } from './policy-set.js';
import { parseRoles } from './roles.js';
import { Revisions } from './revisions.js';
import type { MembershipSide, Roles } from './roles.js';

/** The order in which clients expect permissions. */
const PERMISSIONS = ['Bind', 'Dial'] as const satisfies readonly ServicePolicyType[];

/**
 * The entities and policies of the network in memory, with all answers about membership and access.
 * It stores only the holders of each attribute and the policies that name it. The members of a side
 * are computed from these in microseconds, so that a write has little to update.
 *
 * Unknown ids in roles or arguments are allowed: they have no memberships and no access.
 */
export class PolicyIndex {
  private readonly entitySets: Readonly<Record<EntityKind, EntitySet>> = {
    identity: new EntitySet(),
    service: new EntitySet(),
    edgeRouter: new EntitySet(),
    postureCheck: new EntitySet(),
  };
  private readonly policySets: Readonly<Record<PolicyKind, PolicySet>> = {
    servicePolicy: new PolicySet(['identities', 'services', 'postureChecks']),
    edgeRouterPolicy: new PolicySet(['identities', 'edgeRouters']),
    serviceEdgeRouterPolicy: new PolicySet(['services', 'edgeRouters']),
  };
  private readonly revisions = new Map<EntityKind | PolicyKind, Revisions>();
  private readonly watchers = new Set<(replaced: Replaced) => void>();
  private changes = 0;

  /** The number of applied changes. */
  get version(): number {
    return this.changes;
  }

  /**
   * Applies a change, unless a later one of the same id was applied; gives whether it did. The
   * first load, own writes and the change feed may call it at the same time.
   */
  apply(change: PolicyChange): boolean {
    const { kind, id, revision } = change;
    if (!this.revisionsOf(kind).admit(id, revision, change.value === null)) return false;
    this.write(kind, id, () => {
      if (isPolicyChange(change)) store(this.policySets[change.kind], id, change.value);
      else store(this.entitySets[change.kind], id, change.value);
    });
    return true;
  }

  /** Forgets old deletions; call it at intervals that are longer than the delay of any feed. */
  pruneTombstones(): void {
    for (const revisions of this.revisions.values()) revisions.prune();
  }

  /** Creates or replaces an entity, without a check of revisions. */
  putEntity(kind: EntityKind, entity: EntityValue): void {
    this.write(kind, entity.id, () => {
      this.entitySets[kind].put(entity);
    });
  }

  /** Removes an entity; policies that name it are not changed. */
  removeEntity(kind: EntityKind, id: string): void {
    this.write(kind, id, () => {
      this.entitySets[kind].remove(id);
    });
  }

  /** Creates or replaces a policy, without a check of revisions. */
  putPolicy<K extends PolicyKind>(kind: K, policy: PolicyValue<K> & AnyPolicyValue): void {
    this.write(kind, policy.id, () => {
      this.policySets[kind].put(policy);
    });
  }

  removePolicy(kind: PolicyKind, id: string): void {
    this.write(kind, id, () => {
      this.policySets[kind].remove(id);
    });
  }

  /** Calls `watcher` after every change, until the returned function is called. */
  watch(watcher: (replaced: Replaced) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  count(kind: EntityKind | PolicyKind): number {
    return this.setOf(kind).size;
  }

  /** The exclusive upper bound of all ordinals of the kind. */
  ordinalBound(kind: EntityKind): number {
    return this.entitySets[kind].ordinalBound;
  }

  entity(kind: EntityKind, id: string): EntityValue | undefined {
    return this.entitySets[kind].get(id);
  }

  policy(kind: PolicyKind, id: string): IndexedPolicy | undefined {
    return this.policySets[kind].get(id);
  }

  policies(kind: PolicyKind): IterableIterator<IndexedPolicy> {
    return this.policySets[kind].values();
  }

  /** All ids of a kind, in no particular order. */
  *ids(kind: EntityKind | PolicyKind): Generator<string> {
    if (isPolicyKind(kind)) for (const { id } of this.policySets[kind].values()) yield id;
    else yield* this.entitySets[kind].ids();
  }

  /** The applied revision of an id. */
  revisionOf(kind: EntityKind | PolicyKind, id: string): number | undefined {
    return this.revisions.get(kind)?.of(id);
  }

  /** The position of an entity in the bitsets of its kind; undefined if it does not exist. */
  ordinalOf(kind: EntityKind, id: string): number | undefined {
    return this.entitySets[kind].ordinalOf(id);
  }

  /** The ids of the entities at these ordinals, in no particular order. */
  idsOf(kind: EntityKind, ordinals: Bitset): string[] {
    return this.entitySets[kind].idsOf(ordinals);
  }

  /** The ordinals of the entities in one side of a policy, as a new bitset. */
  members<K extends PolicyKind>(kind: K, policyId: string, side: SideOf<K>): Bitset {
    return this.entitiesOf(kind, side).members(this.mergedSide(kind, policyId, side));
  }

  /** The same for a policy that may not be in the index. */
  membersOf<K extends PolicyKind>(kind: K, policy: AnyPolicyValue, side: SideOf<K>): Bitset {
    const { semantic, roles } = policy;
    const merged = mergeSides([{ roles: parseRoles(roles[side] ?? []), semantic }]);
    return this.entitiesOf(kind, side).members(merged);
  }

  /** How many entities the roles select that are written on one side of a policy, which may not be in force. */
  memberCount<K extends PolicyKind>(kind: K, policyId: string, side: SideOf<K>): number {
    const policy = this.policySets[kind].get(policyId);
    const roles = policy && writtenSides(policy)[side];
    return this.entitiesOf(kind, side).count(mergedRoles(policy, roles));
  }

  /** The policies whose side contains the entity, in no particular order. */
  policiesOf<K extends PolicyKind>(kind: K, side: SideOf<K>, entityId: string): IndexedPolicy[] {
    const entity = this.entitiesOf(kind, side).get(entityId);
    return entity ? this.policySets[kind].containing(side, entity) : [];
  }

  /** The same for an entity with the given attributes, which may differ from the index. */
  policiesWith<K extends PolicyKind>(
    kind: K,
    side: SideOf<K>,
    entity: EntityValue,
  ): IndexedPolicy[] {
    return this.policySets[kind].containing(side, entity);
  }

  /** How many policies select the entity by what is written on them, also those that are not in force. */
  policyCountOf<K extends PolicyKind>(kind: K, side: SideOf<K>, entityId: string): number {
    const entity = this.entitiesOf(kind, side).get(entityId);
    return entity ? this.policySets[kind].naming(side, entity).length : 0;
  }

  /** The ordinals of the entities in at least one of the sides, as a new bitset. */
  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset {
    return this.entitySets[kind].members(mergeSides(sides));
  }

  /** The services that the identity may dial or bind; only of `type` if given. */
  accessibleServices(identityId: string, type?: ServicePolicyType): Access {
    const policies = this.policiesOf('servicePolicy', 'identities', identityId);
    return new Access(ofType(policies, type), 'services', this.entitySets.service);
  }

  /** The identities that may dial or bind the service; only of `type` if given. */
  accessingIdentities(serviceId: string, type?: ServicePolicyType): Access {
    const policies = this.policiesOf('servicePolicy', 'services', serviceId);
    return new Access(ofType(policies, type), 'identities', this.entitySets.identity);
  }

  routersOfIdentity(identityId: string): Access {
    const policies = this.policiesOf('edgeRouterPolicy', 'identities', identityId);
    return new Access(policies, 'edgeRouters', this.entitySets.edgeRouter);
  }

  identitiesOfRouter(routerId: string): Access {
    const policies = this.policiesOf('edgeRouterPolicy', 'edgeRouters', routerId);
    return new Access(policies, 'identities', this.entitySets.identity);
  }

  routersOfService(serviceId: string): Access {
    const policies = this.policiesOf('serviceEdgeRouterPolicy', 'services', serviceId);
    return new Access(policies, 'edgeRouters', this.entitySets.edgeRouter);
  }

  servicesOfRouter(routerId: string): Access {
    const policies = this.policiesOf('serviceEdgeRouterPolicy', 'edgeRouters', routerId);
    return new Access(policies, 'services', this.entitySets.service);
  }

  /** The service policies that have the identity on one side and the service on the other. */
  linkingPolicies(
    identityId: string,
    serviceId: string,
    type?: ServicePolicyType,
  ): IndexedPolicy[] {
    const service = this.entitySets.service.get(serviceId);
    if (!service) return [];
    return this.accessibleServices(identityId, type).policies.filter((policy) =>
      this.policySets.servicePolicy.contains('services', policy, service),
    );
  }

  /** The permissions in the order that clients expect, `Bind` first. */
  permissions(identityId: string, serviceId: string): ServicePolicyType[] {
    const linking = this.linkingPolicies(identityId, serviceId);
    return PERMISSIONS.filter((type) => linking.some((policy) => policy.type === type));
  }

  /** The permissions of one identity on each of the services, by service id. */
  permissionsFor(
    identityId: string,
    serviceIds: readonly string[],
  ): Map<string, ServicePolicyType[]> {
    const granted = PERMISSIONS.map((type) => this.accessibleServices(identityId, type));
    return new Map(
      serviceIds.map((id) => [id, PERMISSIONS.filter((_, i) => granted[i]?.has(id))] as const),
    );
  }

  /** The ids of the routers that both may use, in byte order. */
  commonRouters(identityId: string, serviceId: string): string[] {
    const common = this.routersOfIdentity(identityId)
      .ordinals()
      .and(this.routersOfService(serviceId).ordinals());
    return byteSorted(this.idsOf('edgeRouter', common));
  }

  /** The attributes of at least one entity of the kind, in byte order. */
  attributesInUse(kind: EntityKind): readonly string[] {
    return this.entitySets[kind].attributesInUse();
  }

  attributeUsage(kind: EntityKind, withIds = false): AttributeUsage[] {
    const sources = POLICY_KINDS.flatMap((policyKind) => {
      const policies = this.policySets[policyKind];
      const side = policies.sides.find((candidate) => selects(policyKind, candidate) === kind);
      return side ? [{ kind: policyKind, side, policies: policies.values() }] : [];
    });
    return attributeUsage(kind, this.entitySets[kind], sources, withIds);
  }

  private write(kind: EntityKind | PolicyKind, id: string, change: () => void): void {
    this.changes += 1;
    const replaced = this.watchers.size > 0 ? this.replaced(kind, id) : undefined;
    change();
    if (replaced) for (const watcher of this.watchers) watcher(replaced);
  }

  private replaced(kind: EntityKind | PolicyKind, id: string): Replaced {
    if (isPolicyKind(kind)) return { kind, id, before: this.policySets[kind].get(id) };
    const entities = this.entitySets[kind];
    return { kind, id, before: entities.get(id), ordinal: entities.ordinalOf(id) };
  }

  private mergedSide(kind: PolicyKind, policyId: string, side: Side): MergedSides {
    const policy = this.policySets[kind].get(policyId);
    return mergedRoles(policy, policy?.sides[side]);
  }

  private entitiesOf(kind: PolicyKind, side: Side): EntitySet {
    const selected = selects(kind, side);
    if (!selected) throw new TypeError(`${kind} has no side ${side}`);
    return this.entitySets[selected];
  }

  private setOf(kind: EntityKind | PolicyKind): EntitySet | PolicySet {
    return isPolicyKind(kind) ? this.policySets[kind] : this.entitySets[kind];
  }

  private revisionsOf(kind: EntityKind | PolicyKind): Revisions {
    const existing = this.revisions.get(kind);
    if (existing) return existing;
    const created = new Revisions();
    this.revisions.set(kind, created);
    return created;
  }
}

const mergedRoles = (policy: IndexedPolicy | undefined, roles: Roles | undefined): MergedSides =>
  mergeSides(policy && roles ? [{ roles, semantic: policy.semantic }] : []);

interface Store<V> {
  put(value: V & { readonly id: string }): void;
  remove(id: string): void;
}

function store<V extends object>(set: Store<V>, id: string, value: V | null): void {
  if (value === null) set.remove(id);
  else set.put({ id, ...value });
}

function selects(kind: PolicyKind, side: Side): EntityKind | undefined {
  const sides: Partial<Record<Side, EntityKind>> = POLICY_SIDES[kind];
  return sides[side];
}

const ofType = (
  policies: readonly IndexedPolicy[],
  type: ServicePolicyType | undefined,
): readonly IndexedPolicy[] =>
  type === undefined ? policies : policies.filter((policy) => policy.type === type);
