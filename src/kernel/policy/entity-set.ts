import { Bitset } from './bitset.js';
import { byteSorted } from '../../base/byte-order.js';
import type { MergedSides } from './merged-sides.js';
import { OrdinalSet } from './ordinal-set.js';
import type { EntityValue } from './policy-model.js';
import { PENDING } from './roles.js';

/** An attribute of at least one entity. Entities share these objects, so each name is stored once. */
interface Attribute {
  readonly name: string;
  readonly holders: OrdinalSet;
}

interface EntityRecord {
  readonly id: string;
  /** Position in the bitsets of this kind; reused after a removal. */
  readonly ordinal: number;
  attributes: readonly Attribute[];
  assigned?: EntityValue['assigned'];
  onceApproved?: EntityValue['onceApproved'];
}

/** The entities of one kind, and the holders of each attribute. */
export class EntitySet {
  private readonly records = new Map<string, EntityRecord>();
  private readonly byOrdinal: (EntityRecord | undefined)[] = [];
  private readonly freeOrdinals: number[] = [];
  private readonly present = new Bitset();
  /** Those that are pending, which neither `#all` nor an id selects. */
  private readonly pending = new OrdinalSet();
  private readonly attributes = new Map<string, Attribute>();
  private sortedNames: readonly string[] | undefined;

  get size(): number {
    return this.records.size;
  }

  /** The exclusive upper bound of all ordinals. */
  get ordinalBound(): number {
    return this.byOrdinal.length;
  }

  has(id: string): boolean {
    return this.records.has(id);
  }

  get(id: string): EntityValue | undefined {
    const record = this.records.get(id);
    if (!record) return undefined;
    const { attributes, assigned, onceApproved } = record;
    const names = attributes.map(({ name }) => name);
    return {
      ...{ id, attributes: names },
      ...(assigned && { assigned }),
      ...(onceApproved && { onceApproved }),
    };
  }

  ordinalOf(id: string): number | undefined {
    return this.records.get(id)?.ordinal;
  }

  ids(): IterableIterator<string> {
    return this.records.keys();
  }

  put({ id, attributes, assigned, onceApproved }: EntityValue): void {
    const record = this.records.get(id) ?? this.insert(id);
    record.assigned = assigned;
    if (!record.onceApproved && onceApproved) this.pending.add(record.ordinal);
    else if (record.onceApproved && !onceApproved) this.pending.delete(record.ordinal);
    record.onceApproved = onceApproved;
    const before = record.attributes;
    const names = new Set(attributes);
    record.attributes = [...names].map((name) => this.attribute(name));
    for (const attribute of record.attributes) {
      if (!before.includes(attribute)) attribute.holders.add(record.ordinal);
    }
    for (const attribute of before) {
      if (!names.has(attribute.name)) this.release(attribute, record.ordinal);
    }
  }

  remove(id: string): void {
    const record = this.records.get(id);
    if (!record) return;
    for (const attribute of record.attributes) this.release(attribute, record.ordinal);
    this.records.delete(id);
    this.byOrdinal[record.ordinal] = undefined;
    this.present.clear(record.ordinal);
    if (record.onceApproved) this.pending.delete(record.ordinal);
    this.freeOrdinals.push(record.ordinal);
  }

  /** The members of a union of sides, by ordinal; unknown ids are skipped. */
  members({ all, ids, anyOf, allOf }: MergedSides): Bitset {
    if (all) return anyOf.has(PENDING) ? this.present.clone() : this.everybody();
    const ordinals = new Bitset(this.byOrdinal.length);
    for (const id of ids) {
      const record = this.records.get(id);
      if (record && !record.onceApproved) ordinals.set(record.ordinal);
    }
    for (const name of anyOf) this.attributes.get(name)?.holders.addTo(ordinals);
    for (const list of allOf) this.addHoldersOfAll(list, ordinals);
    return ordinals;
  }

  count(merged: MergedSides): number {
    if (!merged.all) return this.members(merged).popcount();
    return merged.anyOf.has(PENDING) ? this.size : this.size - this.pending.size;
  }

  /** The ids at these ordinals, in no particular order. */
  idsOf(ordinals: Bitset): string[] {
    const ids: string[] = [];
    ordinals.forEach((ordinal) => {
      const record = this.byOrdinal[ordinal];
      if (record) ids.push(record.id);
    });
    return ids;
  }

  /** The attributes that at least one entity holds, in byte order. */
  attributesInUse(): readonly string[] {
    this.sortedNames ??= byteSorted(this.attributes.keys());
    return this.sortedNames;
  }

  holderCount(attribute: string): number {
    return this.attributes.get(attribute)?.holders.size ?? 0;
  }

  holderIds(attribute: string): string[] {
    const holders = new Bitset(this.byOrdinal.length);
    this.attributes.get(attribute)?.holders.addTo(holders);
    return this.idsOf(holders);
  }

  /** The members of `#all`. */
  private everybody(): Bitset {
    const ordinals = this.present.clone();
    if (this.pending.size === 0) return ordinals;
    const pending = new Bitset(this.byOrdinal.length);
    this.pending.addTo(pending);
    return ordinals.andNot(pending);
  }

  private insert(id: string): EntityRecord {
    const ordinal = this.freeOrdinals.pop() ?? this.byOrdinal.length;
    const record: EntityRecord = { id, ordinal, attributes: [] };
    this.records.set(id, record);
    this.byOrdinal[ordinal] = record;
    this.present.set(ordinal);
    return record;
  }

  private attribute(name: string): Attribute {
    const existing = this.attributes.get(name);
    if (existing) return existing;
    const created = { name, holders: new OrdinalSet() };
    this.attributes.set(name, created);
    this.sortedNames = undefined;
    return created;
  }

  private release({ name, holders }: Attribute, ordinal: number): void {
    holders.delete(ordinal);
    if (holders.size > 0) return;
    this.attributes.delete(name);
    this.sortedNames = undefined;
  }

  private addHoldersOfAll(names: readonly string[], target: Bitset): void {
    const sets: OrdinalSet[] = [];
    for (const name of names) {
      const attribute = this.attributes.get(name);
      if (!attribute) return;
      sets.push(attribute.holders);
    }
    OrdinalSet.addIntersection(sets, target);
  }
}
