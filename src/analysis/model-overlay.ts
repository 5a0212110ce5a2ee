import { Bitset, ENTITY_KINDS, isPolicyKind, PolicyIndex, POLICY_KINDS } from '../policy/index.js';
import type {
  EntityKind,
  EntityValue,
  IndexedPolicy,
  MembershipSide,
  PolicyKind,
  Side,
} from '../policy/index.js';
import { byteSorted } from '../base/byte-order.js';
import type { AccessModel } from './access-model.js';
import { rowChange } from './what-if-change.js';
import type { RowChange, WhatIfChange } from './what-if-change.js';

/**
 * A model with some of its rows replaced. The rows in their place are held in an index of their
 * own, so every answer is the base's without the replaced rows, together with that index's.
 * Ordinals are those of the base; entities that it lacks come after them.
 */
export class ModelOverlay implements AccessModel {
  private readonly patch = new PolicyIndex();
  private readonly places: Readonly<Record<EntityKind, Places>>;
  private readonly replacedPolicies: Readonly<Record<PolicyKind, Set<string>>>;
  private changes = 0;

  constructor(protected readonly base: AccessModel) {
    this.places = record(ENTITY_KINDS, (kind) => new Places(base.ordinalBound(kind)));
    this.replacedPolicies = record(POLICY_KINDS, () => new Set<string>());
  }

  /** @throws ApiError NOT_FOUND on an update of what is not there */
  apply(change: WhatIfChange): void {
    this.replace(rowChange(this, change));
  }

  /** How many rows are replaced. */
  get size(): number {
    let size = 0;
    for (const kind of ENTITY_KINDS) size += this.places[kind].size;
    for (const kind of POLICY_KINDS) size += this.replacedPolicies[kind].size;
    return size;
  }

  /** The ids of the rows of a kind that are replaced. */
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
    return [...this.kept(kind, this.base.policies(kind)), ...this.patch.policies(kind)];
  }

  policiesWith(kind: PolicyKind, side: Side, entity: EntityValue): IndexedPolicy[] {
    const kept = this.kept(kind, this.base.policiesWith(kind, side, entity));
    return [...kept, ...this.patch.policiesWith(kind, side, entity)];
  }

  union(kind: EntityKind, sides: Iterable<MembershipSide>): Bitset {
    const places = this.places[kind];
    if (places.isEmpty) return this.base.union(kind, sides);
    const asked = [...sides];
    const found = this.base.union(kind, asked).andNot(places.masked);
    return places.addTo(found, this.patch.union(kind, asked));
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
    const own = places.idsAt(ordinals).filter((id) => this.patch.ordinalOf(kind, id) !== undefined);
    // The base may know others at the places of those that replace its own.
    const others = ordinals.clone().andNot(places.taken).andNot(places.masked);
    return [...this.base.idsOf(kind, others), ...own];
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
    this.patch.apply({ ...change, revision: this.changes });
    if (isPolicyKind(kind)) {
      this.replacedPolicies[kind].add(id);
      return;
    }
    this.places[kind].replace(id, this.base.ordinalOf(kind, id));
    this.place(kind, id);
  }

  /** Holds a row as it was before the base changed; `ordinal` is its place then. */
  protected retain(change: RowChange, ordinal: number | undefined): void {
    const { kind, id } = change;
    if (isPolicyKind(kind)) {
      if (this.replacedPolicies[kind].has(id)) return;
      this.replacedPolicies[kind].add(id);
      this.patch.apply({ ...change, revision: 0 });
      return;
    }
    const places = this.places[kind];
    const now = this.base.ordinalOf(kind, id);
    if (places.holds(id)) {
      places.mask(now);
      return;
    }
    this.patch.apply({ ...change, revision: 0 });
    places.replace(id, ordinal);
    places.mask(now);
    this.place(kind, id);
  }

  private place(kind: EntityKind, id: string): void {
    const own = this.patch.ordinalOf(kind, id);
    if (own !== undefined) this.places[kind].take(id, own);
  }

  private *kept(kind: PolicyKind, policies: Iterable<IndexedPolicy>): Generator<IndexedPolicy> {
    const replaced = this.replacedPolicies[kind];
    for (const policy of policies) if (!replaced.has(policy.id)) yield policy;
  }
}

/** Where the replaced entities of one kind are: in the base, in the patch, in the overlay. */
class Places {
  /** The ordinals that replaced entities have in the base. */
  readonly masked = new Bitset();
  /** The places in the overlay of what is in the patch, or was. */
  readonly taken = new Bitset();
  private readonly idByPlace = new Map<number, string>();
  private readonly placeById = new Map<string, number | undefined>();
  private readonly placeByOwn: number[] = [];

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

  /** Gives the entity at `own` of the patch its place in the overlay, once and for all. */
  take(id: string, own: number): void {
    const place = this.placeById.get(id) ?? this.bound++;
    this.placeById.set(id, place);
    this.placeByOwn[own] = place;
    this.idByPlace.set(place, id);
    this.taken.set(place);
  }

  idsAt(places: Bitset): string[] {
    const ids: string[] = [];
    this.taken
      .clone()
      .and(places)
      .forEach((place) => {
        const id = this.idByPlace.get(place);
        if (id !== undefined) ids.push(id);
      });
    return ids;
  }

  addTo(target: Bitset, own: Bitset): Bitset {
    own.forEach((ordinal) => {
      const place = this.placeByOwn[ordinal];
      if (place !== undefined) target.set(place);
    });
    return target;
  }
}

const record = <K extends string, V>(keys: readonly K[], make: (key: K) => V): Record<K, V> =>
  Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
