import type { Attribute, InputVerb } from '../declare/attribute.js';
import { checkInput } from './check-input.js';
import { resolveReferences } from './resolve-references.js';
import type { RequestContext } from '../request/context.js';
import { dependentsOf, type Dependent } from '../declare/dependents.js';
import { failure, notFound } from '../../base/errors.js';
import { newId, newSortableId } from '../../base/ids.js';
import { permit, writing } from '../declare/permissions.js';
import { storedAttributes, type Resource, type Write } from '../declare/resource.js';
import {
  attributeOf,
  type MatchOf,
  type NewRowOf,
  type RowOf,
  type StoredEntity,
  type ValuesOf,
} from '../declare/rows.js';
import { idOf, textsOf, type JsonObject } from '../../base/row.js';
import { sql } from '../../base/sql.js';
import type { Change, Origin, Transaction } from '../request/store-port.js';
import { copyOf, merged } from '../../base/merged.js';

/*
 * The write pipeline: permit -> validate -> resolve references -> before -> write + change ->
 * after. Each public operation is one transaction; the `...In` functions run inside of one, for
 * hooks and imports.
 */

export const originOf = (ctx: RequestContext): Origin => ({
  actorId: ctx.caller?.identityId ?? null,
  apiSessionId: ctx.caller?.apiSessionId ?? null,
  address: ctx.address,
  requestId: ctx.requestId,
  importId: ctx.importId ?? null,
  reason: ctx.reason ?? null,
  overridesRules: ctx.reason !== undefined,
  at: ctx.now(),
  ...(ctx.caller ? { rights: ctx.caller } : {}),
});

/** The origin of changes that the controller makes itself. */
export const originOfController = (at: Date): Origin => ({
  actorId: null,
  apiSessionId: null,
  address: null,
  requestId: null,
  importId: null,
  at,
});

/** Creates an entity and gives its id. */
export async function create(
  ctx: RequestContext,
  resource: Resource,
  input: JsonObject,
): Promise<string> {
  permit(ctx, writing(resource, 'create'));
  return ctx.store.write(originOf(ctx), (tx) => createIn(ctx, tx, resource, input));
}

/** Replaces (all attributes) or updates (those sent) an entity. */
export async function change(
  ctx: RequestContext,
  resource: Resource,
  verb: 'replace' | 'update',
  id: string,
  input: JsonObject,
  ifRevision?: number | null,
): Promise<void> {
  permit(ctx, writing(resource, verb));
  await ctx.store.write(
    originOf(ctx),
    (tx) => changeIn(ctx, tx, resource, verb, id, input, ifRevision),
    { resource, id },
  );
}

/** Deletes an entity with its dependents, or refuses. */
export async function remove(
  ctx: RequestContext,
  resource: Resource,
  id: string,
  ifRevision?: number | null,
): Promise<void> {
  permit(ctx, writing(resource, 'delete'));
  await ctx.store.write(originOf(ctx), (tx) => removeIn(ctx, tx, resource, id, ifRevision));
}

export async function removeIn(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  id: string,
  ifRevision?: number | null,
): Promise<void> {
  const current = await currentRow(tx, resource, id, ifRevision);
  const write: Write = { verb: 'delete', id, ctx, tx, current, values: {}, input: {} };
  await resource.options.hooks?.before?.(write);
  await deleteIn(ctx, tx, resource, [current]);
  await resource.options.hooks?.after?.(write);
}

export async function createIn(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  input: JsonObject,
  preset?: { readonly id: string; readonly revision?: number },
): Promise<string> {
  const now = ctx.now();
  const id = preset?.id ?? (resource.options.sortableIds ? newSortableId(now) : newId());
  const write = prepare(ctx, tx, resource, 'create', id, {}, input);
  await runBefore(resource, write);
  await insertIn(tx, resource, { ...preset, id, ...storable(resource, write.values) });
  await resource.options.hooks?.after?.(write);
  return id;
}

export async function changeIn(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  verb: 'replace' | 'update',
  id: string,
  input: JsonObject,
  ifRevision?: number | null,
): Promise<void> {
  const current = await currentRow(tx, resource, id, ifRevision);
  const write = prepare(ctx, tx, resource, verb, id, current, input);
  await runBefore(resource, write);
  await patchIn(tx, resource, current, storable(resource, write.values));
  await resource.options.hooks?.after?.(write);
}

/**
 * Gives the values that a create or change would store, after every phase before the write. It does
 * not write the row or run `after`.
 */
export async function rehearseIn(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  verb: InputVerb,
  current: NewRowOf<string>,
  input: JsonObject,
): Promise<object> {
  const write = prepare(ctx, tx, resource, verb, current.id, current, input);
  await runBefore(resource, write);
  return storable(resource, write.values);
}

function prepare(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource,
  verb: InputVerb,
  id: string,
  current: Write['current'],
  input: JsonObject,
): Write {
  return { verb, id, ctx, tx, current, input, values: checkInput(resource, verb, input) };
}

async function runBefore(resource: Resource, write: Write): Promise<void> {
  await resource.options.hooks?.validate?.(write);
  await resolveReferences(resource, write);
  await resource.options.hooks?.before?.(write);
}

/** Writes a row and its change record as they are: no rules, no hooks. */
export async function insertIn<N extends string>(
  tx: Transaction,
  resource: Resource<N>,
  values: NewRowOf<N>,
): Promise<void> {
  const at = tx.origin.at;
  const row = {
    createdAt: at,
    updatedAt: at,
    revision: 1,
    tags: {},
    isSystem: false,
    ...resource.options.discriminator,
    ...values,
  };
  await tx.insert<string>(resource, row);
  record(tx, resource, 'create', row, { after: row });
}

/**
 * Records a change beside the row of an entity: the log gets `before` and `after` with the entity's
 * attributes.
 */
export async function touchIn<N extends string>(
  tx: Transaction,
  resource: Resource<N>,
  current: RowOf<N> & StoredEntity,
  before: JsonObject,
  after: JsonObject,
): Promise<void> {
  const stamped = { updatedAt: tx.origin.at, revision: current.revision + 1 };
  await tx.update<string>(resource, current.id, stamped);
  tx.record({
    resource: resource.name,
    id: current.id,
    operation: 'update',
    revision: stamped.revision,
    before: { ...loggable(resource, current), ...before },
    after: { ...loggable(resource, { ...current, ...stamped }), ...after },
  });
}

/**
 * The first revision of an entity whose id was used before, also in the same transaction. Readers of
 * the change log expect the revisions of one id to grow, even after old changes were pruned. One statement, since the
 * highest one comes from two tables.
 */
export async function nextRevision(
  tx: Transaction,
  resource: Resource,
  id: string,
): Promise<number> {
  const [highest] = await tx.query(
    sql<{
      revision: number | null;
    }>`select greatest(max(revision), (select max(pruned_revision) from change_log)) as revision
      from change where entity_type = ${resource.name}::text and entity_id = ${id}::text`,
  );
  const unwritten = tx.changes.filter((c) => c.resource === resource.name && c.id === id);
  return Math.max(highest?.revision ?? 0, ...unwritten.map(({ revision }) => revision)) + 1;
}

/** Changes attributes of a row and records it: no rules, no hooks. */
export async function patchIn<N extends string>(
  tx: Transaction,
  resource: Resource<N>,
  current: RowOf<N> & StoredEntity,
  values: ValuesOf<N>,
): Promise<void> {
  const stamps = { updatedAt: tx.origin.at, revision: current.revision + 1 };
  const stamped = merged(values, stamps);
  await tx.update<string>(resource, current.id, stamped);
  const changed = Object.assign(copyOf(current), stamped);
  record(tx, resource, 'update', changed, { before: current, after: changed });
}

/** Deletes rows: dependents first, by the rule that each reference declares. */
export async function deleteIn<N extends string>(
  ctx: RequestContext,
  tx: Transaction,
  resource: Resource<N>,
  rows: readonly (RowOf<N> & StoredEntity)[],
): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map(idOf);
  for (const dependent of dependentsOf(ctx.catalog, resource)) {
    const referringRows = await lockReferringRows(tx, dependent, ids);
    if (referringRows.length > 0) await applyDependency(ctx, tx, dependent, referringRows, ids);
  }
  const removedIds = new Set(await tx.remove(resource, ids));
  const removed = rows.filter(({ id }) => removedIds.has(id));
  for (const row of removed) record(tx, resource, 'delete', row, { before: row });
  if (removed.length > 0) await resource.options.hooks?.removed?.({ ctx, tx }, removed);
}

/**
 * Gives the rows that refer to one of the ids. Rows that will be deleted or changed are locked,
 * then read again after concurrent writes.
 */
async function lockReferringRows(
  tx: Transaction,
  dependent: Dependent,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  const { resource, kind } = dependent;
  const match = matchOf(dependent, ids);
  const rows = await tx.find(resource, match);
  if (rows.length === 0 || kind === 'restrict') return rows;
  await tx.lock(resource, rows.map(idOf));
  return tx.find(resource, match);
}

function matchOf({ attribute, kind }: Dependent, ids: readonly string[]): MatchOf<string> {
  if (kind === 'cascade' || kind === 'restrict') return { [attribute.name]: ids };
  const entries = kind === 'roles' ? ids.map((id) => `@${id}`) : ids;
  return { [attribute.name]: { hasSome: entries } };
}

async function applyDependency(
  ctx: RequestContext,
  tx: Transaction,
  { resource, attribute, kind }: Dependent,
  rows: readonly StoredEntity[],
  ids: readonly string[],
): Promise<void> {
  if (kind === 'cascade') await deleteIn(ctx, tx, resource, rows);
  else if (kind !== 'restrict') await dropIds(tx, resource, attribute, rows, new Set(ids));
  else {
    throw failure(
      'CAN_NOT_DELETE_REFERENCED_ENTITY',
      `referenced by ${resource.label} ${rows[0]?.id ?? ''}`,
    );
  }
}

async function dropIds(
  tx: Transaction,
  resource: Resource,
  attribute: Attribute,
  rows: readonly StoredEntity[],
  ids: ReadonlySet<string>,
): Promise<void> {
  for (const row of rows) {
    const remaining = textsOf(attributeOf(row, attribute.name)).filter((entry) => {
      const id = attribute.type.kind === 'roles' ? entry.replace(/^@/, '') : entry;
      return entry.startsWith('#') || !ids.has(id);
    });
    await patchIn(tx, resource, row, { [attribute.name]: remaining });
  }
}

/** The row, locked for writing. */
export function currentRow<N extends string>(
  tx: Transaction,
  resource: Resource<N>,
  id: string,
  ifRevision?: number | null,
): Promise<RowOf<N>>;
export async function currentRow(
  tx: Transaction,
  resource: Resource,
  id: string,
  ifRevision?: number | null,
): Promise<StoredEntity> {
  const current = await tx.lockRow(resource, id);
  if (!current) {
    await resource.options.hooks?.absent?.(tx, id);
    throw notFound(resource.label, id);
  }
  if (ifRevision !== undefined && ifRevision !== null && current.revision !== ifRevision) {
    throw failure('REVISION_CONFLICT', `revision is ${current.revision}`);
  }
  return current;
}

const storable = (resource: Resource, values: object): object =>
  valuesOf(storedAttributes(resource), values);

const valuesOf = (attributes: readonly Attribute[], values: object): JsonObject =>
  Object.fromEntries(
    attributes
      .map(({ name }) => [name, attributeOf(values, name)] as const)
      .filter(([, value]) => value !== undefined),
  );

function record(
  tx: Transaction,
  resource: Resource,
  operation: Change['operation'],
  { id, revision }: StoredEntity,
  { before, after }: { readonly before?: StoredEntity; readonly after?: StoredEntity },
): void {
  tx.record({
    resource: resource.name,
    id,
    operation,
    revision: after ? revision : revision + 1,
    before: before ? loggable(resource, before) : null,
    after: after ? loggable(resource, after) : null,
  });
}

/** The values for the change log: no secrets and no frequent counters. */
const loggable = (resource: Resource, row: StoredEntity): JsonObject =>
  valuesOf(
    storedAttributes(resource).filter(({ unlogged }) => unlogged !== true),
    row,
  );
