import { isShown } from '../kernel/attribute.js';
import type { Catalog } from '../kernel/catalog.js';
import { columnsOf } from '../kernel/columns.js';
import type { RequestContext } from '../kernel/context.js';
import { storedAttributes, type Resource } from '../kernel/resource.js';
import { idOf, type Row } from '../kernel/row.js';
import { column, raw, sql } from '../kernel/sql.js';
import type { Section } from '../transfer/index.js';
import type { Subject } from './faults.js';
import { placesOf } from './places.js';
import { scoped } from '../kernel/symbols.js';

/** Small enough that nobody waits for a slice. */
const SLICE = 1_000;

/**
 * The resources whose rows are looked at: one that only shows part of another's table is left out,
 * and so are records of what was.
 */
export const checkedResources = (catalog: Catalog): Resource[] =>
  catalog.stored().filter(({ options }) => options.isRecord !== true);

/** The rows of a resource in slices by id. */
export async function* slicesOf(
  ctx: RequestContext,
  { resource, attributes }: Subject,
): AsyncGenerator<readonly Row[]> {
  const names = attributes.map(({ name }) => name);
  const columns = columnsOf(resource, names, [], ctx.catalog);
  for (let after = ''; ;) {
    const where = scoped(resource, 'e', sql`${column('e', 'id')} > ${after}::text`);
    const rows = await ctx.store.query(
      sql`select ${columns.list('e')} from ${raw(`"${resource.table}"`)} "e" where ${where} order by ${column('e', 'id')} limit ${raw(String(SLICE))}`,
    );
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) return;
    after = idOf(last);
  }
}

export const subjectOf = (resource: Resource, sections: readonly Section[]): Subject => ({
  resource,
  places: placesOf(resource, sections),
  attributes: storedAttributes(resource).filter(isShown),
});

/** How a finding calls an entity. */
export function called(resource: Resource, row: Row): string {
  const name = typeof row.name === 'string' ? ` (${JSON.stringify(row.name)})` : '';
  return `${resource.label} ${idOf(row)}${name}`;
}
