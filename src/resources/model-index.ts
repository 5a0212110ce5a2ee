import type { HeldDifference, HeldModel } from '../integrity/index.js';
import type { Catalog } from '../kernel/declare/catalog.js';
import type { Totals } from '../kernel/declare/totals.js';
import { lowerFirst, snakeCase } from '../base/names.js';
import type { Resource } from '../kernel/declare/resource.js';
import type { JsonObject } from '../base/row.js';
import { raw } from '../base/sql.js';
import { existingIds, nextRows } from '../kernel/read/entity-table.js';
import type { Change, Store } from '../kernel/request/store-port.js';
import {
  indexedValue,
  isEntityKind,
  isIndexed,
  ROLES_OF,
  parseRoles,
  POLICY_SIDES,
  PolicyIndex,
  type EntityKind,
  type ModelChange,
  type PolicyChange,
  type PolicyKind,
  type Side,
} from '../policy/index.js';
import { idsOfRecentChanges } from './change-table.js';

const PAGE = 20_000;

/** What is held in memory of the model: the policy index, and how many entities there are. */
export class ModelIndex implements Totals, HeldModel {
  readonly policies = new PolicyIndex();
  readonly #others = new Map<string, Map<string, Held>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly store: Store,
  ) {
    store.onChange((changes) => {
      for (const change of changes) this.apply(change);
    });
  }

  /**
   * Takes what the change feed brings: also what was written here and is not told of yet, so that
   * all that the feed has come to is held.
   */
  learn(changes: readonly Change[]): void {
    for (const change of changes) {
      const kind = lowerFirst(change.resource);
      if (!isIndexed(kind)) continue;
      const held = this.policies.revisionOf(kind, change.id);
      const isNews = change.after ? change.revision > (held ?? -1) : held !== undefined;
      if (isNews) this.apply(change);
    }
  }

  /** Reads everything. Changes that arrive meanwhile are later or the same, and win. */
  async load(): Promise<void> {
    for (const resource of this.catalog.all()) {
      if (resource.options.counted !== true) continue;
      for (let after = ''; ;) {
        const rows = await nextIndexed(this.store, resource, after);
        for (const row of rows) this.hold(resource, { ...row, after: row });
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) break;
        after = last.id;
      }
    }
  }

  count(resource: Resource): number | undefined {
    if (resource.options.counted !== true) return undefined;
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) return this.policies.count(kind);
    let live = 0;
    for (const held of this.#others.get(resource.name)?.values() ?? []) if (held.live) live += 1;
    return live;
  }

  /** Slice by slice, where something else is held than the database says. */
  async *differences(resource: Resource): AsyncGenerator<readonly HeldDifference[]> {
    for (let after = ''; ;) {
      const rows = await nextIndexed(this.store, resource, after);
      const found = rows.flatMap((row) => this.differenceOf(resource, row) ?? []);
      yield await this.settled(resource, found);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) break;
      after = last.id;
    }
    const held = [...this.heldIds(resource)];
    for (let from = 0; from < held.length; from += PAGE) {
      const ids = held.slice(from, from + PAGE);
      const rows = await existingIds(this.store, resource, ids);
      const there = new Set(rows.map(({ id }) => id));
      const gone = ids.filter((id) => !there.has(id) && this.heldRevision(resource, id) > 0);
      yield await this.settled(
        resource,
        gone.map((id) => ({ id, kind: 'gone', revision: this.heldRevision(resource, id) })),
      );
    }
  }

  /** Compares with what a row would be taken as; a later state than that of the row is no difference. */
  private differenceOf(resource: Resource, row: IndexedRow): HeldDifference | undefined {
    const { id } = row;
    const revision = this.heldRevision(resource, id);
    const isHeld = revision > 0;
    if (isHeld && revision > row.revision) return undefined;
    const kind = lowerFirst(resource.name);
    const isSame = isIndexed(kind) ? holds(this.policies, kind, row) : isHeld;
    return isSame ? undefined : { id, kind: isHeld ? 'different' : 'missing', revision };
  }

  private heldRevision(resource: Resource, id: string): number {
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) return this.policies.revisionOf(kind, id) ?? 0;
    const held = this.#others.get(resource.name)?.get(id);
    return held?.live ? held.revision : 0;
  }

  private *heldIds(resource: Resource): Generator<string> {
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) yield* this.policies.ids(kind);
    for (const [id, { live }] of this.#others.get(resource.name) ?? []) if (live) yield id;
  }

  /** Without what the change log has still to bring here: other controllers write all the time. */
  private async settled(
    { name }: Resource,
    found: readonly HeldDifference[],
  ): Promise<readonly HeldDifference[]> {
    if (found.length === 0) return [];
    const coming = new Set(await idsOfRecentChanges(this.store, name, found));
    return found.filter(({ id }) => !coming.has(id));
  }

  private apply(change: Change): void {
    const resource = this.catalog.find(change.resource);
    if (resource?.options.counted === true) this.hold(resource, change);
  }

  private hold(resource: Resource, change: Pick<Change, 'id' | 'revision' | 'after'>): void {
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) {
      this.policies.apply(policyChange(kind, change));
      return;
    }
    const held = this.#others.get(resource.name) ?? new Map<string, Held>();
    this.#others.set(resource.name, held);
    if ((held.get(change.id)?.revision ?? -1) < change.revision) {
      held.set(change.id, { revision: change.revision, live: change.after !== null });
    }
  }
}

/** Whether the index holds what it would take this row as. */
function holds(index: PolicyIndex, kind: EntityKind | PolicyKind, row: IndexedRow): boolean {
  if (isEntityKind(kind)) {
    const held = index.entity(kind, row.id)?.attributes;
    return held !== undefined && isEqualSet(held, row.roleAttributes ?? []);
  }
  const held = index.policy(kind, row.id);
  if (held?.semantic !== row.semantic || held?.type !== row.type) return false;
  return (Object.keys(POLICY_SIDES[kind]) as Side[]).every((side) => {
    const [is, should] = [held?.sides[side], parseRoles(row[ROLES_OF[side]] ?? [])];
    return (
      is?.all === should.all &&
      isEqualSet(is.attributes, should.attributes) &&
      isEqualSet(is.ids, should.ids)
    );
  });
}

function isEqualSet(a: readonly string[], b: readonly string[]): boolean {
  const [some, others] = [new Set(a), new Set(b)];
  return some.size === others.size && [...some].every((value) => others.has(value));
}

/** A deletion stays as a tombstone, so that a late repetition of an earlier change does not count. */
interface Held {
  readonly revision: number;
  readonly live: boolean;
}

/** An entity of any resource, with those of the attributes of membership that it has. */
type IndexedRow = {
  readonly id: string;
  readonly revision: number;
  readonly roleAttributes?: readonly string[];
  readonly semantic?: string;
  readonly type?: string;
} & { readonly [R in (typeof ROLES_OF)[Side]]?: readonly string[] };

/** The attributes that membership depends on, in slices by id. */
function nextIndexed(store: Store, resource: Resource, after: string): Promise<IndexedRow[]> {
  const wanted = ['roleAttributes', 'semantic', 'type', ...Object.values(ROLES_OF)];
  const columns = ['id', 'revision', ...wanted.filter((name) => resource.attributes.has(name))]
    .map((name) => `"e"."${snakeCase(name)}" as "${name}"`)
    .join(', ');
  return nextRows(store, resource, raw(columns), { after, limit: PAGE });
}

function policyChange(
  kind: EntityKind | PolicyKind,
  { id, revision, after }: Pick<Change, 'id' | 'revision' | 'after'>,
): PolicyChange {
  return { kind, id, revision, value: after && indexedValue(kind, after) } as PolicyChange;
}

/** Both states of what a change is about, for those kinds that lists of services depend on. */
export function modelChangeOf({ resource, id, before, after }: Change): ModelChange | undefined {
  const kind = lowerFirst(resource);
  if (!LISTED_BY.has(kind)) return undefined;
  const valueOf = (state: JsonObject | null): object | null =>
    state && { id, ...indexedValue(kind as ModelChange['kind'], state) };
  return { kind, before: valueOf(before), after: valueOf(after) } as ModelChange;
}

const LISTED_BY = new Set<string>([
  'identity',
  'service',
  'postureCheck',
  'servicePolicy',
] satisfies ModelChange['kind'][]);
