import type { Catalog } from '../kernel/catalog.js';
import type { Totals } from '../kernel/listing.js';
import { lowerFirst, snakeCase } from '../kernel/names.js';
import type { Resource } from '../kernel/resource.js';
import { idOf, textsOf, type Row } from '../kernel/row.js';
import { raw, sql } from '../kernel/sql.js';
import { scoped } from '../kernel/symbols.js';
import type { Change, Store } from '../kernel/store-port.js';
import {
  ENTITY_KINDS,
  POLICY_KINDS,
  POLICY_SIDES,
  PolicyIndex,
  type EntityKind,
  type ModelChange,
  type PolicyChange,
  type PolicyKind,
  type Side,
} from '../policy/index.js';

const PAGE = 20_000;

/** What is held in memory of the model: the policy index, and how many entities there are. */
export class ModelIndex implements Totals {
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

  /** Reads everything. Changes that arrive meanwhile are later or the same, and win. */
  async load(): Promise<void> {
    for (const resource of this.catalog.all()) {
      if (resource.options.counted !== true) continue;
      for (let after = ''; ;) {
        const rows = await this.store.query(pageOf(resource, after));
        for (const row of rows) {
          const { id, revision } = row;
          this.take(resource, { id: String(id), revision: Number(revision), after: row });
        }
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) break;
        after = idOf(last);
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

  private apply(change: Change): void {
    const resource = this.catalog.find(change.resource);
    if (resource?.options.counted === true) this.take(resource, change);
  }

  private take(resource: Resource, change: Pick<Change, 'id' | 'revision' | 'after'>): void {
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

/** A deletion stays as a tombstone, so that a late repetition of an earlier change does not count. */
interface Held {
  readonly revision: number;
  readonly live: boolean;
}

const isEntityKind = (kind: string): kind is EntityKind =>
  (ENTITY_KINDS as readonly string[]).includes(kind);

const isIndexed = (kind: string): kind is EntityKind | PolicyKind =>
  isEntityKind(kind) || (POLICY_KINDS as readonly string[]).includes(kind);

/** The attributes that membership depends on, read in slices by id. */
function pageOf(resource: Resource, after: string): ReturnType<typeof sql> {
  const wanted = ['roleAttributes', 'semantic', 'type', ...Object.values(ROLES)];
  const columns = ['id', 'revision', ...wanted.filter((name) => resource.attributes.has(name))]
    .map((name) => `"e"."${snakeCase(name)}" as "${name}"`)
    .join(', ');
  const where = scoped(resource, 'e', sql`"e"."id" > ${after}::text`);
  return sql`select ${raw(columns)} from ${raw(`"${resource.table}"`)} "e" where ${where} order by "e"."id" limit ${raw(String(PAGE))}`;
}

const ROLES: Readonly<Record<Side, string>> = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  edgeRouters: 'edgeRouterRoles',
  postureChecks: 'postureCheckRoles',
};

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
  const valueOf = (row: Row | null): object | null =>
    row && { id, ...indexedValue(kind as ModelChange['kind'], row) };
  return { kind, before: valueOf(before), after: valueOf(after) } as ModelChange;
}

const LISTED_BY = new Set<string>([
  'identity',
  'service',
  'postureCheck',
  'servicePolicy',
] satisfies ModelChange['kind'][]);

const indexedValue = (kind: EntityKind | PolicyKind, row: Row): object =>
  isEntityKind(kind) ? { attributes: textsOf(row.roleAttributes) } : policyValue(kind, row);

function policyValue(kind: PolicyKind, row: Row): object {
  const sides = Object.keys(POLICY_SIDES[kind]) as Side[];
  return {
    semantic: row.semantic,
    ...(kind === 'servicePolicy' ? { type: row.type } : {}),
    roles: Object.fromEntries(sides.map((side) => [side, textsOf(row[ROLES[side]])])),
  };
}
