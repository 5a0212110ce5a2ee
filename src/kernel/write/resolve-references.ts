import { invalidField, notFound } from '../../base/errors.js';
import { textsOf } from '../../base/row.js';
import { together } from '../../base/together.js';
import { isStored, type Attribute } from '../declare/attribute.js';
import type { Resource, Write } from '../declare/resource.js';
import { attributeOf } from '../declare/rows.js';
import type { RequestContext } from '../request/context.js';
import type { Transaction } from '../request/store-port.js';

/**
 * Refuses references to entities that do not exist, and holds the others until the commit.
 * @throws ApiError of the first attribute with a missing entity
 */
export async function resolveReferences(
  resource: Resource,
  { ctx, tx, values, current }: Write,
): Promise<void> {
  const changed = [...resource.attributes.values()].filter((a) => {
    const value = attributeOf(values, a.name);
    if (value === undefined || value === null || !isStored(a)) return false;
    return JSON.stringify(value) !== JSON.stringify(attributeOf(current, a.name));
  });
  // They do not wait for each other.
  await together(changed.map((a) => resolveReference(ctx, tx, a, attributeOf(values, a.name))));
}

async function resolveReference(
  ctx: RequestContext,
  tx: Transaction,
  a: Attribute,
  value: unknown,
): Promise<void> {
  if (a.type.kind === 'reference') {
    await mustExist(ctx, tx, a.type.target, [value as string], a.missingField);
  } else if (a.type.kind === 'references') {
    await mustExist(ctx, tx, a.type.target, textsOf(value), a.missingField);
  } else if (a.type.kind === 'roles') {
    const ids = textsOf(value)
      .filter((role) => role.startsWith('@'))
      .map((role) => role.slice(1));
    await rolesMustExist(ctx, tx, a.type.target, ids, a);
  }
}

async function missingIds(
  ctx: RequestContext,
  tx: Transaction,
  target: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  const existingIds = new Set(await tx.hold(ctx.catalog.get(target), ids));
  return ids.filter((id) => !existingIds.has(id));
}

/**
 * Refuses the first id that names no entity.
 * @throws ApiError COULD_NOT_VALIDATE on `missingField`, NOT_FOUND without one
 */
export async function mustExist(
  ctx: RequestContext,
  tx: Transaction,
  target: string,
  ids: readonly string[],
  missingField?: string,
): Promise<void> {
  const [unknown] = await missingIds(ctx, tx, target, ids);
  if (unknown === undefined) return;
  const { label } = ctx.catalog.get(target);
  if (missingField === undefined) throw notFound(label, unknown);
  throw invalidField(missingField, `no ${label} found with the given id`, unknown);
}

async function rolesMustExist(
  ctx: RequestContext,
  tx: Transaction,
  target: string,
  ids: readonly string[],
  a: Attribute,
): Promise<void> {
  const unknown = await missingIds(ctx, tx, target, ids);
  if (unknown.length === 0) return;
  const { label } = ctx.catalog.get(target);
  throw invalidField(a.name, `no ${label} found with the given ids`, unknown);
}
