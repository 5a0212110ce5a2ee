import { columnOf, followingAttributes, type Resource } from '../../kernel/declare/resource.js';
import { attributeOf, type SelectedEntity } from '../../kernel/declare/rows.js';
import type { JsonObject } from '../../base/row.js';
import { column, join, raw, sql, type Sql } from '../../base/sql.js';
import type { Store } from '../../kernel/request/store-port.js';

const SLICE = 500;

/**
 * Fills derived attributes in rows that were written before the attribute existed, or by an older
 * controller. Other rows are not changed.
 */
export async function fillFollowing(store: Store, resources: readonly Resource[]): Promise<void> {
  for (const resource of resources) {
    if (followingAttributes(resource).length > 0) await fillResource(store, resource);
  }
}

async function fillResource(store: Store, resource: Resource): Promise<void> {
  for (let after = ''; ;) {
    const rows = await store.query(unfilledRows(resource, after));
    const derivedRows = rows.map((row) => valuesOf(resource, row)).filter((row) => !isEmpty(row));
    if (derivedRows.length > 0) await store.query(fillStatement(resource, derivedRows));
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) return;
    after = last.id;
  }
}

/** The id and the source attributes. */
type SourceRow = SelectedEntity;

/** Selects rows that have the source attributes but not the derived ones. */
function unfilledRows(resource: Resource, after: string): Sql<SourceRow> {
  const following = followingAttributes(resource);
  const sources = new Set(following.map(({ follows }) => follows?.from ?? ''));
  const of = (name: string): Sql => {
    const attribute = resource.attributes.get(name);
    if (!attribute) throw new Error(`${resource.name} has no attribute ${name}`);
    return column('e', columnOf(attribute));
  };
  const columns = [...sources].map((name) => sql`${of(name)} as ${raw(`"${name}"`)}`);
  const conditions = [
    ...following.map(({ name }) => sql`${of(name)} is null`),
    ...[...sources].map((name) => sql`${of(name)} is not null`),
  ];
  return sql<SourceRow>`select "e"."id", ${join(columns, ', ')} from ${raw(`"${resource.table}"`)} "e"
    where ${join(conditions, ' and ')} and "e"."id" > ${after}::text order by "e"."id" limit ${SLICE}::int`;
}

/** The derived values by column, as JSON. */
const valuesOf = (resource: Resource, row: SourceRow): JsonObject => ({
  id: row.id,
  ...Object.fromEntries(
    followingAttributes(resource).map((a) => [
      columnOf(a),
      a.follows?.value(attributeOf(row, a.follows.from)) ?? null,
    ]),
  ),
});

const isEmpty = (row: JsonObject): boolean =>
  Object.entries(row).every(([name, value]) => name === 'id' || value === null);

/** Writes the derived values, except where another writer has set them meanwhile. */
function fillStatement(resource: Resource, rows: readonly JsonObject[]): Sql {
  const names = followingAttributes(resource).map(columnOf);
  const set = names.map((name) => raw(`"${name}" = "v"."${name}"`));
  const free = names.map((name) => sql`${column('e', name)} is null`);
  const table = raw(`"${resource.table}"`);
  return sql`update ${table} "e" set ${join(set, ', ')}
    from jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb) "v"
    where "e"."id" = "v"."id" and ${join(free, ' and ')} returning "e"."id"`;
}
