import type { HeldDifference, HeldModel } from '../../inventory/integrity/index.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import type { Totals } from '../../kernel/declare/totals.js';
import { lowerFirst, snakeCase } from '../../base/names.js';
import type { Resource } from '../../kernel/declare/resource.js';
import { raw } from '../../base/sql.js';
import { existingIds, nextRows } from '../../kernel/read/entity-table.js';
import type { Change, Store } from '../../kernel/request/store-port.js';
import {
  EFFECTIVE_SOURCES,
  entityOf,
  approvedValue,
  isPending,
  indexedValue,
  isEntityKind,
  isIndexed,
  isInForce,
  ROLES_OF,
  parseRoles,
  POLICY_SIDES,
  PolicyIndex,
  writtenSides,
  type EntityKind,
  type IndexedPolicy,
  type PolicyChange,
  type PolicyKind,
  type Side,
} from '../../kernel/policy/index.js';
import { changes as changeLog } from '../../data/rows/change/index.js';

const PAGE = 20_000;

/** The model in memory: the policy index, and the numbers of entities. */
export class ModelIndex implements Totals, HeldModel {
  readonly policies = new PolicyIndex();
  readonly #others = new Map<string, Map<string, CachedEntity>>();

  constructor(
    private readonly catalog: Catalog,
    private readonly store: Store,
  ) {
    store.onChange((changes) => {
      for (const change of changes) this.apply(change);
    });
  }

  /**
   * Applies the changes of the feed, including own writes that no event has reported yet, so that the
   * memory contains everything that the feed has read.
   */
  learn(changes: readonly Change[]): void {
    for (const change of changes) {
      const kind = lowerFirst(change.resource);
      if (!isIndexed(kind)) continue;
      const cachedRevision = this.policies.revisionOf(kind, change.id);
      const isNews = change.after
        ? change.revision > (cachedRevision ?? -1)
        : cachedRevision !== undefined;
      if (isNews) this.apply(change);
    }
  }

  /** Reads all entities. Changes during the read are later or equal, so they win. */
  async load(): Promise<void> {
    for (const resource of this.catalog.all()) {
      if (resource.options.counted !== true) continue;
      for (let after = ''; ;) {
        const rows = await nextIndexed(this.store, resource, after);
        for (const row of rows) this.hold(resource, { after: row, ...row });
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
    for (const cached of this.#others.get(resource.name)?.values() ?? [])
      if (cached.live) live += 1;
    return live;
  }

  /** Gives, slice by slice, the differences between memory and database. */
  async *differences(resource: Resource): AsyncGenerator<readonly HeldDifference[]> {
    for (let after = ''; ;) {
      const rows = await nextIndexed(this.store, resource, after);
      const differences = rows.flatMap((row) => this.differenceOf(resource, row) ?? []);
      yield await this.settled(resource, differences);
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) break;
      after = last.id;
    }
    const cachedIds = [...this.heldIds(resource)];
    for (let from = 0; from < cachedIds.length; from += PAGE) {
      const ids = cachedIds.slice(from, from + PAGE);
      const rows = await existingIds(this.store, resource, ids);
      const existing = new Set(rows.map(({ id }) => id));
      const deletedIds = ids.filter(
        (id) => !existing.has(id) && this.heldRevision(resource, id) > 0,
      );
      yield await this.settled(
        resource,
        deletedIds.map((id) => ({ id, kind: 'gone', revision: this.heldRevision(resource, id) })),
      );
    }
  }

  /** Compares memory with a row; a later state in memory is no difference. */
  private differenceOf(resource: Resource, row: IndexedRow): HeldDifference | undefined {
    const { id } = row;
    const revision = this.heldRevision(resource, id);
    const isCached = revision > 0;
    if (isCached && revision > row.revision) return undefined;
    const kind = lowerFirst(resource.name);
    const isSame = isIndexed(kind) ? holds(this.policies, kind, row) : isCached;
    return isSame ? undefined : { id, kind: isCached ? 'different' : 'missing', revision };
  }

  private heldRevision(resource: Resource, id: string): number {
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) return this.policies.revisionOf(kind, id) ?? 0;
    const cached = this.#others.get(resource.name)?.get(id);
    return cached?.live ? cached.revision : 0;
  }

  private *heldIds(resource: Resource): Generator<string> {
    const kind = lowerFirst(resource.name);
    if (isIndexed(kind)) yield* this.policies.ids(kind);
    for (const [id, { live }] of this.#others.get(resource.name) ?? []) if (live) yield id;
  }

  /** Removes entities with recent changes that have not arrived here: other controllers write all the time. */
  private async settled(
    { name }: Resource,
    found: readonly HeldDifference[],
  ): Promise<readonly HeldDifference[]> {
    if (found.length === 0) return [];
    const pendingIds = new Set(await changeLog.recentlyChanged(this.store, name, found));
    return found.filter(({ id }) => !pendingIds.has(id));
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
    const cached = this.#others.get(resource.name) ?? new Map<string, CachedEntity>();
    this.#others.set(resource.name, cached);
    if ((cached.get(change.id)?.revision ?? -1) < change.revision) {
      cached.set(change.id, { revision: change.revision, live: change.after !== null });
    }
  }
}

/** Whether the index already contains the state of this row. */
function holds(index: PolicyIndex, kind: EntityKind | PolicyKind, row: IndexedRow): boolean {
  if (isEntityKind(kind)) {
    const [cached, expected] = [index.entity(kind, row.id), entityOf(row)];
    return (
      cached !== undefined &&
      isPending(cached) === isPending(expected) &&
      isEqualSet(approvedValue(cached).attributes, approvedValue(expected).attributes)
    );
  }
  const policy = index.policy(kind, row.id);
  if (!policy) return false;
  const { isInForce: isRowInForce = true } = row;
  return (
    policy.semantic === row.semantic &&
    policy.type === row.type &&
    isInForce(policy) === isRowInForce &&
    hasRoles(kind, policy, row)
  );
}

const hasRoles = (kind: PolicyKind, policy: IndexedPolicy, row: IndexedRow): boolean =>
  (Object.keys(POLICY_SIDES[kind]) as Side[]).every((side) => {
    const [actualRoles, expectedRoles] = [
      writtenSides(policy)[side],
      parseRoles(row[ROLES_OF[side]] ?? []),
    ];
    return (
      actualRoles?.all === expectedRoles.all &&
      isEqualSet(actualRoles.attributes, expectedRoles.attributes) &&
      isEqualSet(actualRoles.ids, expectedRoles.ids)
    );
  });

function isEqualSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((value) => right.has(value));
}

/** A deletion stays as a tombstone, so that a late repetition of an earlier change does not count. */
interface CachedEntity {
  readonly revision: number;
  readonly live: boolean;
}

/** An entity of any resource, with its attributes that decide membership. */
type IndexedRow = {
  readonly id: string;
  readonly revision: number;
  readonly roleAttributes?: readonly string[];
  readonly assignedRoleAttributes?: readonly string[];
  readonly isPending?: boolean;
  readonly semantic?: string;
  readonly type?: string;
  readonly isInForce?: boolean;
} & { readonly [R in (typeof ROLES_OF)[Side]]?: readonly string[] };

/** Reads the attributes that decide membership, in slices by id. */
function nextIndexed(store: Store, resource: Resource, after: string): Promise<IndexedRow[]> {
  const membershipAttributes = [
    ...EFFECTIVE_SOURCES,
    'semantic',
    'type',
    'isInForce',
    'nextChangeAt',
    ...Object.values(ROLES_OF),
  ];
  const columns = [
    'id',
    'revision',
    ...membershipAttributes.filter((name) => resource.attributes.has(name)),
  ]
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
