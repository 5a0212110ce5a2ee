import type { ModelChange } from '../../access/analysis/index.js';
import { ApiError, failure, placedAt } from '../../base/errors.js';
import { may, permits } from '../../kernel/declare/permissions.js';
import type { Resource } from '../../kernel/declare/resource.js';
import type { StoredEntity } from '../../kernel/declare/rows.js';
import type { RequestContext } from '../../kernel/request/context.js';
import type { Transaction } from '../../kernel/request/store-port.js';
import { resourceOf } from './write-changes.js';

/** An entity and the revision that the author of a list of changes has seen. */
export interface ExpectedRevision {
  readonly type: ModelChange['type'];
  readonly id: string;
  readonly revision: number;
}

/**
 * Requires the permission to know the revisions: that of reading the kind, or that of the change of
 * the entity, which the caller has.
 * @throws ApiError UNAUTHORIZED
 */
export function permitRevisions(
  ctx: RequestContext,
  expected: readonly ExpectedRevision[],
  changes: readonly ModelChange[],
): void {
  const existing = changes.filter(({ operation }) => operation !== 'create');
  const changed = new Set(existing.map(({ type, id }) => keyOf(type, id ?? '')));
  for (const [i, { type, id }] of expected.entries()) {
    const { permission } = resourceOf(ctx.catalog, type).options;
    if (changed.has(keyOf(type, id)) || permits(ctx.caller, may(permission, 'read'))) continue;
    const place = placeOf(i);
    const reason = `${place}: its revision needs the permission to read it`;
    throw placedAt(place, failure('UNAUTHORIZED', reason));
  }
}

/**
 * Locks the entities until the commit, and refuses if one of them is gone or has another revision.
 * @throws ApiError REVISION_CONFLICT
 */
export async function checkRevisionsIn(
  ctx: RequestContext,
  tx: Transaction,
  expected: readonly ExpectedRevision[],
): Promise<void> {
  const rows = await lockedRows(ctx, tx, expected);
  const conflicts = expected.flatMap(({ type, id, revision }, i) => {
    const actual = rows.get(keyOf(type, id))?.revision ?? null;
    return actual === revision ? [] : [{ place: placeOf(i), type, id, revision: actual }];
  });
  const [first] = conflicts;
  if (!first) return;
  const { place, type, id, revision } = first;
  const { label } = resourceOf(ctx.catalog, type);
  const state = revision === null ? 'does not exist' : `has the revision ${String(revision)}`;
  const message = `${place}: ${label} with id ${id} ${state}`;
  const conflict = new ApiError('REVISION_CONFLICT', {
    kind: 'data',
    message,
    data: { conflicts },
  });
  throw placedAt(place, conflict);
}

/** Locks resource by resource, always in the same order, so that two applications do not block each other. */
async function lockedRows(
  ctx: RequestContext,
  tx: Transaction,
  expected: readonly ExpectedRevision[],
): Promise<ReadonlyMap<string, StoredEntity>> {
  const rows = new Map<string, StoredEntity>();
  for (const type of [...new Set(expected.map((one) => one.type))].sort()) {
    const resource: Resource = resourceOf(ctx.catalog, type);
    const ids = expected.filter((one) => one.type === type).map(({ id }) => id);
    for (const row of await tx.lock(resource, ids)) rows.set(keyOf(type, row.id), row);
  }
  return rows;
}

const placeOf = (index: number): string => `ifRevisions[${String(index)}]`;

const keyOf = (type: string, id: string): string => `${type} ${id}`;
