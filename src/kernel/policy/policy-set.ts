import type { AnyPolicyValue, EntityValue, IndexedPolicy, Side } from './policy-model.js';
import { holdsAttributes, isPending, parseRoles } from './roles.js';
import type { Roles, Semantic } from './roles.js';

/** The policies of one kind, with a lookup by entity for each side. */
export class PolicySet {
  private readonly records = new Map<string, IndexedPolicy>();
  private readonly lookups: ReadonlyMap<Side, SideLookup>;
  /** Of the policies that are not in force, by the roles that are written on them. */
  private readonly dormantLookups: ReadonlyMap<Side, SideLookup>;

  constructor(readonly sides: readonly Side[]) {
    this.lookups = new Map(sides.map((side) => [side, new SideLookup(side, IN_FORCE)]));
    this.dormantLookups = new Map(sides.map((side) => [side, new SideLookup(side, DORMANT)]));
  }

  get size(): number {
    return this.records.size;
  }

  get(id: string): IndexedPolicy | undefined {
    return this.records.get(id);
  }

  values(): IterableIterator<IndexedPolicy> {
    return this.records.values();
  }

  put({ id, semantic, type, roles, dormantRoles, endsByItself }: AnyPolicyValue): void {
    this.remove(id);
    const sides = this.parsed(roles);
    const policy = {
      ...{ id, semantic, type, sides },
      ...(dormantRoles && { dormantSides: this.parsed(dormantRoles) }),
      ...(endsByItself && { endsByItself }),
    };
    this.records.set(id, policy);
    for (const lookup of this.lookupsOf(policy)) lookup.add(policy);
  }

  remove(id: string): void {
    const policy = this.records.get(id);
    if (!policy) return;
    for (const lookup of this.lookupsOf(policy)) lookup.remove(policy);
    this.records.delete(id);
  }

  /** The policies whose side contains the entity, in no particular order. */
  containing(side: Side, entity: EntityValue): IndexedPolicy[] {
    return this.lookups.get(side)?.containing(entity) ?? [];
  }

  /** The same with the policies that are not in force, by the roles that are written on them. */
  naming(side: Side, entity: EntityValue): IndexedPolicy[] {
    const dormant = this.dormantLookups.get(side)?.containing(entity) ?? [];
    return [...this.containing(side, entity), ...dormant];
  }

  contains(side: Side, policy: IndexedPolicy, entity: EntityValue): boolean {
    return this.lookups.get(side)?.contains(policy, entity) ?? false;
  }

  private lookupsOf({ dormantSides }: IndexedPolicy): Iterable<SideLookup> {
    return (dormantSides ? this.dormantLookups : this.lookups).values();
  }

  private parsed(roles: AnyPolicyValue['roles']): Partial<Record<Side, Roles>> {
    const sides: Partial<Record<Side, Roles>> = {};
    for (const side of this.sides) sides[side] = parseRoles(roles[side] ?? []);
    return sides;
  }
}

type RolesOf = (policy: IndexedPolicy) => IndexedPolicy['sides'] | undefined;

const IN_FORCE: RolesOf = ({ sides }) => sides;
const DORMANT: RolesOf = ({ dormantSides }) => dormantSides;

/** Finds policies by the ids and attributes in their role list on one side. */
class SideLookup {
  private readonly everybody = new Set<IndexedPolicy>();
  private readonly byId = new Map<string, Set<IndexedPolicy>>();
  private readonly byAttribute = new Map<string, Set<IndexedPolicy>>();

  constructor(
    private readonly side: Side,
    private readonly sidesOf: RolesOf,
  ) {}

  add(policy: IndexedPolicy): void {
    const roles = this.rolesOf(policy);
    if (!roles) return;
    if (roles.all) this.everybody.add(policy);
    for (const id of roles.ids) addTo(this.byId, id, policy);
    for (const name of lookupAttributes(roles, policy.semantic))
      addTo(this.byAttribute, name, policy);
  }

  remove(policy: IndexedPolicy): void {
    const roles = this.rolesOf(policy);
    if (!roles) return;
    this.everybody.delete(policy);
    for (const id of roles.ids) removeFrom(this.byId, id, policy);
    for (const name of lookupAttributes(roles, policy.semantic)) {
      removeFrom(this.byAttribute, name, policy);
    }
  }

  /** Gives each policy once. It uses no set for that, since it runs for every answer about access. */
  containing(entity: EntityValue): IndexedPolicy[] {
    const policies = isPending(entity) ? [] : this.selectingDirectly(entity);
    for (const [i, name] of entity.attributes.entries()) {
      for (const policy of this.byAttribute.get(name) ?? []) {
        if (this.isFoundBefore(policy, entity, i)) continue;
        if (this.matchesAttributes(policy, entity.attributes)) policies.push(policy);
      }
    }
    return policies;
  }

  contains(policy: IndexedPolicy, entity: EntityValue): boolean {
    const isDirect = this.everybody.has(policy) || this.byId.get(entity.id)?.has(policy) === true;
    return (isDirect && !isPending(entity)) || this.matchesAttributes(policy, entity.attributes);
  }

  /** The policies that select the entity by `#all` or by its id. */
  private selectingDirectly({ id }: EntityValue): IndexedPolicy[] {
    const policies = [...this.everybody];
    for (const policy of this.byId.get(id) ?? []) {
      if (!this.everybody.has(policy)) policies.push(policy);
    }
    return policies;
  }

  /** Whether an earlier attribute, the id or `#all` has already found the policy. */
  private isFoundBefore(policy: IndexedPolicy, entity: EntityValue, position: number): boolean {
    const roles = this.rolesOf(policy);
    if (!roles) return true;
    const { id, attributes } = entity;
    if (!isPending(entity) && (roles.all || this.byId.get(id)?.has(policy))) return true;
    const namedAttributes = lookupAttributes(roles, policy.semantic);
    for (let i = 0; i < position; i += 1)
      if (namedAttributes.includes(attributes[i] ?? '')) return true;
    return false;
  }

  private rolesOf(policy: IndexedPolicy): Roles | undefined {
    return this.sidesOf(policy)?.[this.side];
  }

  private matchesAttributes(policy: IndexedPolicy, attributes: readonly string[]): boolean {
    const roles = this.rolesOf(policy);
    return roles !== undefined && holdsAttributes(roles, policy.semantic, attributes);
  }
}

/**
 * The attributes to index a policy by: every member has one of them. For AllOf one attribute is
 * enough.
 */
const lookupAttributes = ({ attributes }: Roles, semantic: Semantic): readonly string[] =>
  semantic === 'AllOf' ? attributes.slice(0, 1) : attributes;

function addTo(map: Map<string, Set<IndexedPolicy>>, key: string, policy: IndexedPolicy): void {
  const policies = map.get(key);
  if (policies) policies.add(policy);
  else map.set(key, new Set([policy]));
}

function removeFrom(
  map: Map<string, Set<IndexedPolicy>>,
  key: string,
  policy: IndexedPolicy,
): void {
  const policies = map.get(key);
  policies?.delete(policy);
  if (policies?.size === 0) map.delete(key);
}
