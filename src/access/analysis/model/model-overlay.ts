import {
  Bitset,
  ENTITY_KINDS,
  isPolicyKind,
  PolicyIndex,
  POLICY_KINDS,
} from '../../../kernel/policy/index.js';
import type {
  EntityKind,
  EntityValue,
  IndexedPolicy,
  MembershipSide,
  PolicyKind,
  Side,
} from '../../../kernel/policy/index.js';
import { byteSorted } from '../../../base/byte-order.js';
import type { AccessModel } from './access-model.js';
import { rowChange } from './what-if-change.js';
import type { RowChange, WhatIfChange } from './what-if-change.js';

/**
 * A model with some rows replaced. A separate index (the patch) contains the new rows; an answer
 * is the base's answer without the replaced rows, joined with the patch's answer. Entities keep
 * the ordinals of the base; entities that the base lacks get ordinals after them.
 */
export class ModelOverlay implements AccessModel {
  private readonly patch = new PolicyIndex();
  private readonly places: Readonly<Record<EntityKind, EntityOrdinals>>;
  private readonly replacedPolicies: Readonly<Record<PolicyKind, Set<string>>>;
  private changes = 0;

  constructor(protected readonly base: AccessModel) {
    this.places = record(ENTITY_KINDS, (kind) => new EntityOrdinals(base.ordinalBound(kind)));
    this.replacedPolicies = record(POLICY_KINDS, () => new Set<string>());
  }

  /** @throws ApiError NOT_FOUND on an update of an entity that does not exist */
  apply(change: WhatIfChange): void {
    this.replace(rowChange(this, change));
  }

  /** The number of replaced rows. */
  get size(): number {
    let size = 0;
    for (const kind of ENTITY_KINDS) size += this.places[kind].size;
    for (const kind of POLICY_KINDS) size += this.replacedPolicies[kind].size;
    return size;
  }

  /** Gives the ids of the replaced rows of a kind. */
  replaced(kind: EntityKind | PolicyKind): Iterable<string> {
    return isPolicyKind(kind) ? this.replacedPolicies[kind] : this.places[kind].ids();
  }

  entity(kind: EntityKind, id: string): EntityValue | undefined {
    return (this.places[kind].holds(id) ? this.patch : this.base).entity(kind, id);
  }

  policy(kind: PolicyKind, id: string): IndexedPolicy | undefined {
    return (this.replacedPolicies[kind].has(id) ? this.patch : this.base).policy(kind, id);
  }

  policies(kind: PolicyKind): IndexedPolicy[] {
    return [...this.withoutReplaced(kind, this.base.policies(kind)), ...this.patch.policies(kind)];
  }

  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[] {
    const unreplaced = this.withoutReplaced(kind, this.base.policiesWith(kind, side, entity));
    return [...unreplaced, ...this.patch.policiesWith(kind, side, entity)];
  }

  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset {
    const places = this.places[kind];
    if (places.isEmpty) return this.base.union(kind, sides);
    const sideList = [...sides];
    const members = this.base.union(kind, sideList).andNot(places.masked);
    return places.addTo(members, this.patch.union(kind, sideList));
  }

  ordinalOf(kind: EntityKind, id: string): number | undefined {
    const places = this.places[kind];
    if (!places.holds(id)) return this.base.ordinalOf(kind, id);
    return this.patch.ordinalOf(kind, id) === undefined ? undefined : places.placeOf(id);
  }

  ordinalBound(kind: EntityKind): number {
    return this.places[kind].bound;
  }

  idsOf(kind: EntityKind, ordinals: Bitset): string[] {
    const places = this.places[kind];
    if (places.isEmpty) return this.base.idsOf(kind, ordinals);
    const patchIds = places
      .idsAt(ordinals)
      .filter((id) => this.patch.ordinalOf(kind, id) !== undefined);
    // In the base, other entities may have the ordinals of the new ones.
    const baseOrdinals = ordinals.clone().andNot(places.assigned).andNot(places.masked);
    return [...this.base.idsOf(kind, baseOrdinals), ...patchIds];
  }

  attributesInUse(kind: EntityKind): string[] {
    const candidates = [...this.base.attributesInUse(kind), ...this.patch.attributesInUse(kind)];
    return byteSorted(candidates).filter((name) => {
      const roles = { all: false, attributes: [name], ids: [] };
      return this.union(kind, [{ roles, semantic: 'AnyOf' }]).popcount() > 0;
    });
  }

  protected replace(change: RowChange): void {
    const { kind, id } = change;
    this.changes += 1;
    this.patch.apply({ revision: this.changes, ...change });
    if (isPolicyKind(kind)) {
      this.replacedPolicies[kind].add(id);
      return;
    }
    this.places[kind].replace(id, this.base.ordinalOf(kind, id));
    this.place(kind, id);
  }

  /** Keeps a row as it was before the base changed; `ordinal` is its place at that time. */
  protected retain(change: RowChange, ordinal: number | undefined): void {
    const { kind, id } = change;
    if (isPolicyKind(kind)) {
      if (this.replacedPolicies[kind].has(id)) return;
      this.replacedPolicies[kind].add(id);
      this.patch.apply({ revision: 0, ...change });
      return;
    }
    const places = this.places[kind];
    const currentOrdinal = this.base.ordinalOf(kind, id);
    if (places.holds(id)) {
      places.mask(currentOrdinal);
      return;
    }
    this.patch.apply({ revision: 0, ...change });
    places.replace(id, ordinal);
    places.mask(currentOrdinal);
    this.place(kind, id);
  }

  private place(kind: EntityKind, id: string): void {
    const patchOrdinal = this.patch.ordinalOf(kind, id);
    if (patchOrdinal !== undefined) this.places[kind].assign(id, patchOrdinal);
  }

  private *withoutReplaced(
    kind: PolicyKind,
    policies: Iterable<IndexedPolicy>,
  ): Generator<IndexedPolicy> {
    const replaced = this.replacedPolicies[kind];
    for (const policy of policies) if (!replaced.has(policy.id)) yield policy;
  }
}

/** The ordinals of the replaced entities of one kind: in the base, in the patch, in the overlay. */
class EntityOrdinals {
  /** The ordinals of replaced entities in the base. */
  readonly masked = new Bitset();
  /** The ordinals in the overlay of entities that are or were in the patch. */
  readonly assigned = new Bitset();
  private readonly idByPlace = new Map<number, string>();
  private readonly placeById = new Map<string, number | undefined>();
  private readonly placeByPatchOrdinal: number[] = [];

  constructor(public bound: number) {}

  get isEmpty(): boolean {
    return this.placeById.size === 0;
  }

  get size(): number {
    return this.placeById.size;
  }

  ids(): Iterable<string> {
    return this.placeById.keys();
  }

  holds(id: string): boolean {
    return this.placeById.has(id);
  }

  placeOf(id: string): number | undefined {
    return this.placeById.get(id);
  }

  replace(id: string, ordinal: number | undefined): void {
    if (!this.placeById.has(id)) this.placeById.set(id, ordinal);
    this.mask(ordinal);
  }

  mask(ordinal: number | undefined): void {
    if (ordinal !== undefined) this.masked.set(ordinal);
  }

  /** Gives the entity at an ordinal of the patch its permanent ordinal in the overlay. */
  assign(id: string, patchOrdinal: number): void {
    const place = this.placeById.get(id) ?? this.bound++;
    this.placeById.set(id, place);
    this.placeByPatchOrdinal[patchOrdinal] = place;
    this.idByPlace.set(place, id);
    this.assigned.set(place);
  }

  idsAt(places: Bitset): string[] {
    const ids: string[] = [];
    this.assigned
      .clone()
      .and(places)
      .forEach((place) => {
        const id = this.idByPlace.get(place);
        if (id !== undefined) ids.push(id);
      });
    return ids;
  }

  addTo(target: Bitset, patchOrdinals: Bitset): Bitset {
    patchOrdinals.forEach((ordinal) => {
      const place = this.placeByPatchOrdinal[ordinal];
      if (place !== undefined) target.set(place);
    });
    return target;
  }
}

const record = <K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
