import { isShown } from '../../kernel/declare/attribute.js';
import type { Catalog } from '../../kernel/declare/catalog.js';
import { columnsOf } from '../../kernel/read/columns.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { storedAttributes, type Resource } from '../../kernel/declare/resource.js';
import { attributeOf, type SelectedEntity } from '../../kernel/declare/rows.js';
import { nextRows } from '../../kernel/read/entity-table.js';
import type { Section } from '../transfer/index.js';
import type { Subject } from './integrity-faults.js';
import { placesOf } from './places.js';

/** Small enough that a slice does not delay other work. */
const SLICE = 1_000;

/**
 * Gives the resources whose rows are checked: without those that show a part of another resource's
 * table, and without records of past events.
 */
export const checkedResources = (catalog: Catalog): Resource[] =>
  catalog.stored().filter(({ options }) => options.isRecord !== true);

/** The rows of a resource in slices by id. */
export async function* slicesOf(
  ctx: RequestContext,
  { resource, attributes }: Subject,
): AsyncGenerator<readonly SelectedEntity[]> {
  const names = attributes.map(({ name }) => name);
  const columns = columnsOf(resource, names, [], ctx.catalog);
  for (let after = ''; ;) {
    const rows = await nextRows<SelectedEntity>(ctx.store, resource, columns.list('e'), {
      after,
      limit: SLICE,
    });
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < SLICE) return;
    after = last.id;
  }
}

export const subjectOf = (resource: Resource, sections: readonly Section[]): Subject => ({
  resource,
  places: placesOf(resource, sections),
  attributes: storedAttributes(resource).filter(isShown),
});

/** Gives the text for an entity in a finding. */
export function entityText(resource: Resource, entity: SelectedEntity): string {
  const name = attributeOf(entity, 'name');
  const nameText = typeof name === 'string' ? ` (${JSON.stringify(name)})` : '';
  return `${resource.label} ${entity.id}${nameText}`;
}
